#pragma once
#define WARP_SIZE 32
#define LANE(thread) ((thread) % WARP_SIZE)
#define LANES_BELOW(lane) ((1u << (lane)) - 1u)
