#pragma once
// What the whole project takes a warp for.
#ifndef WARP_SIZE
#define WARP_SIZE 32
#endif
#define WARPS_PER_BLOCK 4
#define BLOCK_SIZE (WARPS_PER_BLOCK * WARP_SIZE)
