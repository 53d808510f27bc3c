"""Random CUDA programs that use warps, compared with themselves after conversion.

What a program should print is what it prints unconverted, on wavefronts of 32 lanes, with
stand-ins of CUDA's headers (cuda/) that have CUDA's meaning and count what CUDA leaves undefined.
"""
