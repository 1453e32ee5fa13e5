#include "core/isa/block_table.hpp"
