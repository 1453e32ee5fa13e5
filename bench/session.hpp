#pragma once
// What every table is handed: the options, the machine, where figures go and who judges them.

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/machine.hpp"
#include "bench/options.hpp"
#include "bench/row.hpp"

namespace hillock::bench {

class Session {
 public:
  /// Opens the JSON file. Throws InputOutputError when it cannot be written.
  Session(Options options, Machine machine);

  const Options& options() const { return options_; }
  const Machine& machine() const { return machine_; }
  bool cpu() const { return options_.backends != Backends::cuda; }
  bool gpu() const { return options_.backends != Backends::cpu && machine_.gpus > 0; }
  /// Why gpu() is false.
  std::string why_no_gpu() const;
  bool wants(const std::string& precision) const {
    return options_.precision.empty() || options_.precision == precision;
  }
  /// Sizes of the batches: those of --cells, else those of --quick, else all.
  std::vector<std::size_t> cells(const std::vector<std::size_t>& all,
                                 const std::vector<std::size_t>& quick) const;

  /// Bandwidth of a copy on the first GPU, measured once; not a number without GPU.
  double copy_gb_s();

  /// Starts a table, or a part of it: a heading, and which columns are not there and why.
  void heading(const std::string& text);
  /// A line below the heading.
  void note(const std::string& text);

  /// Adds a figure to the JSON file: the table's name, these members, and the machine's.
  void write(const char* table, const Row& row);

  /// A variant's error over its bound; above 1, or not a number, makes the program fail.
  void judge(const std::string& what, double error_over_bound);
  bool all_right() const { return all_right_; }

  /// Whether the host has room for so many bytes; says so when not.
  bool fits(const std::string& what, std::size_t bytes);
  /// Runs GPU work; when the device's memory does not suffice, says so and returns false.
  bool attempt(const std::string& what, const std::function<void()>& work);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  Options options_;
  Machine machine_;
  std::unique_ptr<std::FILE, Close> json_;
  double copy_gb_s_ = 0;
  bool all_right_ = true;
};

/// The kernels' families that every table of trees knows: what `precision` is called in rows.
template <class T>
const char* name_of_precision() {
  return sizeof(T) == 4 ? "float" : "double";
}

}  // namespace hillock::bench
