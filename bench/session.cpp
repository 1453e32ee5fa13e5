#include "bench/session.hpp"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>

#include "bench/build.hpp"
#include "bench/gpu/probe.hpp"
#include "core/errors/errors.hpp"
#include "solver/cuda/device.hpp"

namespace hillock::bench {

namespace {

/// Bytes of memory that are free for the asking; a huge number where the system does not tell.
std::size_t free_host_bytes() {
  std::ifstream in("/proc/meminfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("MemAvailable:"))
      return std::strtoull(line.c_str() + line.find(':') + 1, nullptr, 10) * 1024;
  return std::numeric_limits<std::size_t>::max();
}

}  // namespace

Session::Session(Options options, Machine machine)
    : options_(std::move(options)), machine_(std::move(machine)) {
  if (options_.json.empty()) return;
  json_.reset(std::fopen(options_.json.c_str(), "w"));
  if (!json_) throw InputOutputError(options_.json, "cannot be written");
}

std::string Session::why_no_gpu() const {
  return options_.backends == Backends::cpu ? "no GPU: --backend cpu" : machine_.device;
}

std::vector<std::size_t> Session::cells(const std::vector<std::size_t>& all,
                                        const std::vector<std::size_t>& quick) const {
  if (!options_.cells.empty()) return options_.cells;
  return options_.quick ? quick : all;
}

double Session::copy_gb_s() {
  if (!gpu()) return NAN;
  if constexpr (with_cuda)
    if (copy_gb_s_ == 0) copy_gb_s_ = bench::copy_gb_s();
  return copy_gb_s_;
}

void Session::heading(const std::string& text) {
  std::printf("\n%s\n", text.c_str());
  std::fflush(stdout);
}

void Session::note(const std::string& text) {
  std::printf("  %s\n", text.c_str());
  std::fflush(stdout);
}

void Session::write(const char* table, const Row& row) {
  if (!json_) return;
  Row whole;
  whole.text("table", table).members(row);
  whole.text("device", gpu() ? machine_.device : why_no_gpu()).number("gpus", machine_.gpus);
  whole.text("cpu", machine_.cpu).number("threads", machine_.threads);
  whole.text("commit", machine_.commit).text("date", machine_.date);
  whole.text("build", machine_.build).text("command", options_.command);
  // Line by line, so that an interrupted run leaves whole lines.
  if (std::fprintf(json_.get(), "%s\n", whole.json().c_str()) < 0 || std::fflush(json_.get()) != 0)
    throw InputOutputError(options_.json, "cannot be written");
}

void Session::judge(const std::string& what, double error_over_bound) {
  if (error_over_bound <= 1) return;
  all_right_ = false;
  std::printf("  WRONG: %s: error %.3g times its bound\n", what.c_str(), error_over_bound);
}

bool Session::fits(const std::string& what, std::size_t bytes) {
  if (bytes < free_host_bytes()) return true;
  note(what + " on the CPU: left out, needs " + std::to_string((bytes >> 30) + 1) +
       " GiB of memory");
  return false;
}

bool Session::attempt(const std::string& what, const std::function<void()>& work) {
  try {
    work();
    return true;
  } catch (const solver::DeviceError& error) {
    if (std::string(error.what()).find("out of memory") == std::string::npos) throw;
    if constexpr (with_cuda) forget_gpu_error();
    note(what + " on the GPU: left out, its memory does not suffice");
    return false;
  }
}

}  // namespace hillock::bench
