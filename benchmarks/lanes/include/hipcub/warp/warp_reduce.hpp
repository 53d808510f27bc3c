#pragma once

#include "../hipcub.hpp"
