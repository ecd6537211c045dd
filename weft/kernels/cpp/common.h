// What nearly all kernels include. The builder reads it before each of them, compiled once for each extension
// (a precompiled header): half a second less for each of some sixty objects.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "border.h"
#include "vec.h"
