#include "mechanisms/isa/kernel_sets.hpp"
