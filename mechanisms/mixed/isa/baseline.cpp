#include "mechanisms/mixed/isa/kernel_sets.hpp"
