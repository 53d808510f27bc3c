// In place of CUB, whose operations of a warp take 32 lanes: here a wavefront has no more.
#pragma once

#include <hipcub/hipcub.hpp>

namespace cub = hipcub;
