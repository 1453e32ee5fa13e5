// hillock-bench: makes the tables it is asked for. Started by `hillock bench`.
// Exit codes: 0, 1 trouble, 2 usage, 4 input or output, 5 a solver's error above its bound, 6 out
// of memory.

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "bench/build.hpp"
#include "bench/session.hpp"
#include "bench/tables.hpp"
#include "core/errors/errors.hpp"
#include "core/program/standard_streams.hpp"
#include "core/text/folded_text.hpp"

namespace {

using namespace hillock;
using namespace hillock::bench;

void list() {
  for (const Table* table : all_tables()) {
    std::string shows = table->shows;
    if (table->runs == Runs::when_named) shows += " (only when named)";
    std::fputs(entry(table->name, 17, shows, terminal_columns(STDOUT_FILENO)).c_str(), stdout);
  }
}

void introduce(const Session& session) {
  const Machine& m = session.machine();
  std::printf("CPU       %s, %d threads\n", m.cpu.c_str(), m.threads);
  std::printf("GPU       %s\n", session.gpu() ? m.device.c_str() : session.why_no_gpu().c_str());
  if (!with_cusparse) std::printf("cuSPARSE  not in this build\n");
  std::printf("build     %s, commit %s\n", m.build.c_str(), m.commit.c_str());
  std::fflush(stdout);
}

int make_tables(const Options& options) {
  Session session(options, this_machine());
  if (options.backends == Backends::cuda && !session.gpu())
    throw UsageError("--backend cuda: " + session.why_no_gpu());
  introduce(session);
  for (const Table* table : all_tables()) {
    const bool named = std::count(options.tables.begin(), options.tables.end(), table->name) > 0;
    if (named || (options.tables.empty() && table->runs == Runs::unasked)) table->run(session);
  }
  if (session.all_right()) return 0;
  std::fprintf(stderr, "hillock-bench: a solver is wrong: see the lines marked WRONG\n");
  return 5;
}

}  // namespace

int main(int argc, char** argv) {
  guard_standard_streams();
  try {
    const auto options = read_options(argc, argv);
    const int code = options && !options->list ? make_tables(*options) : 0;
    if (options && options->list) list();
    finish_standard_output();
    return code;
  } catch (const UsageError& error) {
    std::fprintf(stderr, "hillock-bench: %s\n", error.what());
    return 2;
  } catch (const InputOutputError& error) {
    std::fprintf(stderr, "hillock-bench: %s\n", error.what());
    return 4;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "hillock-bench: out of memory\n");
    return 6;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hillock-bench: %s\n", error.what());
    return 1;
  }
}
