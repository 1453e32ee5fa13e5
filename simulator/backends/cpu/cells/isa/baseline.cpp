#include "simulator/backends/cpu/cells/isa/loops.hpp"
