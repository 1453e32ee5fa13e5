#include "core/expressions/isa/block_table.hpp"
