#include "bench/hines_rows.hpp"

#include <cmath>

namespace hillock::bench {

using namespace solver;

HinesCase::HinesCase(Session& session, const char* table, std::string what, const char* precision,
                     Row members, std::size_t compartments, std::size_t bytes_of_value)
    : session_(session),
      table_(table),
      what_(std::move(what)),
      precision_(precision),
      members_(std::move(members)),
      compartments_(compartments),
      bytes_of_value_(bytes_of_value) {}

void HinesCase::write(const std::string& backend, const std::string& variant, const Timing& timing,
                      double bytes, double error, const Row& more) {
  us_[variant] = timing.us;
  const double copy = backend == "cpu" ? NAN : session_.copy_gb_s();
  const double floor_us =
      4e-3 * static_cast<double>(bytes_of_value_) * static_cast<double>(compartments_) / copy;
  Row row;
  row.text("backend", backend).text("variant", variant).text("precision", precision_);
  row.members(members_).number("us", timing.us).number("error_over_bound", error);
  row.number("least_us", timing.least_us).number("most_us", timing.most_us);
  row.number("compartments_in_all", static_cast<double>(compartments_));
  row.number("gb_s", 1e-3 * bytes / timing.us).number("copy_gb_s", copy);
  row.number("floor_us", floor_us);
  row.number("speedup_serial", us("cpu-serial") / timing.us);
  row.number("speedup_openmp", us("cpu-openmp") / timing.us).members(more);
  session_.write(table_, row);
}

void HinesCase::add(const std::vector<HostResult>& results) {
  const double bytes = 9.0 * static_cast<double>(bytes_of_value_ * compartments_);
  for (const auto& r : results) us_[r.variant] = r.timing.us;
  for (const auto& r : results) write("cpu", r.variant, r.timing, bytes, r.error, Row());
}

void HinesCase::add(const std::vector<HinesVariant>& variants,
                    const std::vector<HinesResult>& results) {
  const Forest one = Forest::uniform({-1}, 1);
  for (std::size_t k = 0; k < results.size(); ++k) {
    const HinesResult& r = results[k];
    session_.judge(what_ + ", " + r.variant, r.error);
    // All cells, not the sample alone: alike to what the first layout computed.
    session_.judge(what_ + ", " + r.variant + " beside the first layout",
                   r.difference / (bytes_of_value_ == 8 ? 1e-12 : 1e-3));
    const double bytes = static_cast<double>(make_hines_schedule(one, variants[k].arrangement)
                                                 .bytes_moved(bytes_of_value_, compartments_));
    Row more;
    more.number("arrange_us", r.arrange_us).number("gather_us", r.gather_us);
    more.number("difference", r.difference);
    write("cuda", r.variant, r.timing, bytes, r.error, more);
  }
}

double HinesCase::us(const std::string& variant) const {
  const auto found = us_.find(variant);
  return found == us_.end() ? NAN : found->second;
}

}  // namespace hillock::bench
