#include "io/model/network/read_plasticity.hpp"

#include "io/model/values/value_reader.hpp"

namespace hillock::io {

namespace {

/// One of two words, the first of which holds where none is given.
template <class Choice>
void read_choice(ValueReader& read, const std::optional<Item>& item,
                 const std::vector<std::string>& words, Choice& to) {
  if (item) read.take(item->choice(words), to);
}

}  // namespace

std::optional<models::Stdp> read_plasticity(const Item& item, const Slot& weight) {
  MapReader map(item, "plasticity");
  if (!map.is_map()) return std::nullopt;
  const auto rule = map.require("stdp");
  if (!map.finish() || !rule) return std::nullopt;
  MapReader keys(*rule, "stdp");
  if (!keys.is_map()) return std::nullopt;
  models::Stdp stdp;
  const auto w_max = keys.require("w_max");
  const auto lambda = keys.find("lambda"), alpha = keys.find("alpha");
  const auto tau_plus = keys.find("tau_plus"), tau_minus = keys.find("tau_minus");
  const auto mu_plus = keys.find("mu_plus"), mu_minus = keys.find("mu_minus");
  const auto pairing = keys.find("pairing"), delay = keys.find("delay");
  ValueReader read(keys.finish());
  const Slot positive = Slot::of("").more_than(0), time = Slot::of("ms").more_than(0);
  const Slot power = Slot::of("").at_least(0).at_most(1);
  if (read.constant(w_max, weight, stdp.w_max) && stdp.w_max == 0)
    read.error(*w_max, "must not be 0 (weights stay between 0 and w_max)");
  read.constant(lambda, positive, stdp.lambda);
  read.constant(alpha, Slot::of("").at_least(0), stdp.alpha);
  read.constant(tau_plus, time, stdp.tau_plus_ms);
  read.constant(tau_minus, time, stdp.tau_minus_ms);
  read.constant(mu_plus, power, stdp.mu_plus);
  read.constant(mu_minus, power, stdp.mu_minus);
  read_choice(read, pairing, {"all_to_all", "nearest"}, stdp.pairing);
  read_choice(read, delay, {"dendritic", "axonal"}, stdp.delay);
  return read.result(stdp);
}

}  // namespace hillock::io
