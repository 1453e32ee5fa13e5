#pragma once
// What an evaluator may say of itself beside its info (mechanisms/evaluator.hpp), false if it does
// not.

namespace hillock::mechanisms {

template <class E>
inline constexpr bool is_linear = requires {
  requires E::is_linear;
};

template <class E>
inline constexpr bool is_constant = requires {
  requires E::is_constant;
};

}  // namespace hillock::mechanisms
