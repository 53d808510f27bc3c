from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    name="scale",
    ext_modules=[
        CUDAExtension(
            "scale",
            ["scale.cpp", "scale_kernel.cu"],
            extra_compile_args={
                "cxx": ["-O3"],
                "nvcc": ["-O3", "--use_fast_math", "-gencode", "arch=compute_80,code=sm_80"],
            },
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
