#pragma once
// What an evaluator says of its mechanism: plain data, the same for every instruction set. Includes
// nothing, so that NVRTC can compile it.

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define HILLOCK_FUNCTION __host__ __device__ inline
#else
#define HILLOCK_FUNCTION inline
#endif

namespace hillock::mechanisms {

struct VariableInfo {
  const char* name;
  const char* unit;
  double default_value;
  double minimum;
  double maximum;
};

inline constexpr double unlimited = 1e300;

/// What a mechanism shares with the place where it is.
enum class PlaceQuantity {
  current,   ///< an ion's current, mA/cm2: ica
  reversal,  ///< an ion's reversal potential, mV: eca
  inside,    ///< an ion's inner concentration, mM: cai
  outside,   ///< an ion's outer concentration, mM: cao
  area,      ///< of the membrane, um2
  diameter,  ///< of the compartment, um
  pointer,   ///< POINTER: a variable at the same place that the model names
  stream,    ///< a number that no other instance has: the key of its random draws
};

/// One variable that lives outside the instance.
struct Coupling {
  PlaceQuantity quantity;
  const char* ion;  ///< "ca"; empty where there is none
  double valence;   ///< of the ion; 0: the usual one of that ion
  int column;       ///< of the instance's variables
  bool reads;
  bool writes;

  /// Whether the mechanism adds to an ion's current.
  HILLOCK_FUNCTION constexpr bool adds() const {
    return writes && quantity == PlaceQuantity::current;
  }
  /// Whether the mechanism sets what the place keeps.
  HILLOCK_FUNCTION constexpr bool sets() const {
    return writes && quantity != PlaceQuantity::current;
  }
  /// Whether the ion changes by it during a run, or has its current gathered.
  HILLOCK_FUNCTION constexpr bool stirs_ion() const {
    return *ion && (sets() || (reads && quantity == PlaceQuantity::current));
  }
};

struct MechanismInfo {
  const char* name;
  const char* description;
  bool is_point_process;
  bool is_artificial;  ///< a point process without a membrane: ARTIFICIAL_CELL
  bool is_electrode;
  /// How many of the variables are of each role, in this order.
  int parameters;
  int places;  ///< supplied by the place: eca, cai, area
  int assigned;
  int states;
  const VariableInfo* variables;
  const Coupling* couplings;
  int coupling_count;
  bool receives_events;
  const char* weight_unit;
  int arguments;            ///< of NET_RECEIVE, the weight first
  int watches;              ///< WATCH statements
  bool starts;              ///< has `start`
  bool begins_connections;  ///< has `connect`
  bool changes_in_current;  ///< `current` changes variables that last
  bool changes_parameters;  ///< parameters change during a run
  /// Connections remember their arguments from event to event.
  bool keeps_arguments = false;
  int hidden = 0;  ///< how many of the assigned, the last ones, nobody is to see

  HILLOCK_FUNCTION constexpr int count() const { return parameters + places + assigned + states; }
  HILLOCK_FUNCTION constexpr int first_assigned() const { return parameters + places; }
  HILLOCK_FUNCTION constexpr int first_state() const { return parameters + places + assigned; }
};

}  // namespace hillock::mechanisms
