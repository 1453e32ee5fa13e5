#pragma once
// Tables in time that parameters of mechanisms follow.

#include "core/mechanism/signature.hpp"
#include "io/model/context/read_context.hpp"
#include "models/network.hpp"

namespace hillock::io {

struct PlayedTable {
  std::string variable;
  models::Waveform table;  ///< (ms, value), from long before the run to long behind it
};

/// What the keys `variable`, `times` and `values`, or `csv`, or `hdf5` and `group`, say; nothing of
/// the map is left to be read. Nothing after an error.
std::optional<PlayedTable> read_played(ReadContext& context, MapReader& map,
                                       const MechanismSignature& signature);

}  // namespace hillock::io
