#include "solver/lanes/isa/tables.hpp"
