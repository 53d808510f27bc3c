// Stands in for AMD's device library, whose release here knows no gfx942 (-nogpulib).
#include <hip/hip_runtime.h>

#define AXIS(name, x, y, z)                                                      \
    extern "C" __device__ inline __attribute__((used, const)) size_t name(uint axis) \
    {                                                                            \
        return axis == 0 ? x() : axis == 1 ? y() : z();                          \
    }

AXIS(__ockl_get_local_id, __builtin_amdgcn_workitem_id_x, __builtin_amdgcn_workitem_id_y,
     __builtin_amdgcn_workitem_id_z)
AXIS(__ockl_get_group_id, __builtin_amdgcn_workgroup_id_x, __builtin_amdgcn_workgroup_id_y,
     __builtin_amdgcn_workgroup_id_z)
AXIS(__ockl_get_local_size, __builtin_amdgcn_workgroup_size_x, __builtin_amdgcn_workgroup_size_y,
     __builtin_amdgcn_workgroup_size_z)
AXIS(__ockl_get_num_groups, __builtin_amdgcn_grid_size_x, __builtin_amdgcn_grid_size_y,
     __builtin_amdgcn_grid_size_z)
AXIS(__ockl_get_global_size, __builtin_amdgcn_grid_size_x, __builtin_amdgcn_grid_size_y,
     __builtin_amdgcn_grid_size_z)

extern "C" __device__ inline __attribute__((used)) void __atomic_work_item_fence(
    __cl_mem_fence_flags, __memory_order, __memory_scope)
{
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
}
