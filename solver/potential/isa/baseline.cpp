#include "solver/potential/isa/product_loops.hpp"
