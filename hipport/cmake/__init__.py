"""What hipport-config.cmake, the CMake package in this folder, runs to build HIP from CUDA."""
