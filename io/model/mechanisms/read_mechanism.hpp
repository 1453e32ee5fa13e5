#pragma once
// Reads a mechanism with its parameters and a synapse, both against the signatures.

#include <optional>
#include <string>
#include <vector>

#include "io/model/context/read_context.hpp"
#include "io/model/values/locations.hpp"
#include "io/model/values/slot.hpp"

namespace hillock::io {

/// Whether a mechanism's values belong to pieces of membrane or to one cell.
enum class ParameterScope { membrane, cell };

/// Reads the parameters of a mechanism that is known to exist.
std::optional<models::MechanismUse> read_mechanism(ReadContext& context, const Item& item,
                                                   const MechanismSignature& signature,
                                                   ParameterScope scope);

/// Reads `v`, `cai` or `hh.m`, a variable of a place: its number in Network::pointer_targets.
std::optional<std::size_t> read_pointer_target(ReadContext& context, const Item& item);

/// What a point process is put on a cell for.
enum class PointRole { synapse, no_events };

/// Reads `synapse: {expsyn: {...}, at: soma(0.5)}`, or `point:` with any point process, for cells
/// of `shape`.
std::optional<models::Synapse> read_synapse(ReadContext& context, const Item& item,
                                            const CellShape& shape,
                                            PointRole role = PointRole::synapse,
                                            LocationsFor places = LocationsFor::instances);

/// The unit that a synapse's weight has.
Slot weight_slot(const MechanismSignature& signature);

/// Who an event's arguments belong to, and what they may vary with.
enum class ArgumentsOf { connections, stimuli };

/// Reads `arguments: {tau_rec: 100 ms}`: what NET_RECEIVE takes behind the weight, in its order.
std::optional<std::vector<models::Value>> read_arguments(ReadContext& context, const Item& item,
                                                         const MechanismSignature& signature,
                                                         ArgumentsOf of);

/// Why cells without a morphology have no synapses.
std::string no_synapses(const CellInfo& cell);

/// False, and an error at `item`, for artificial cells whose mechanism has no NET_RECEIVE.
bool takes_events(const CellInfo& cell, const Item& item);

/// na, k, ca, cl and every ion that a signature uses.
std::vector<std::string> known_ions(const Signatures& signatures);

/// Reads `ions: {na: {e: 50 mV}, ...}`.
std::vector<models::IonSetting> read_ions(ReadContext& context, const Item& item);

}  // namespace hillock::io
