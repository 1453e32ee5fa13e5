#pragma once
// Where and with what was measured: goes into every row.

#include <string>

namespace hillock::bench {

struct Machine {
  std::string device;  ///< the first GPU, or why there is none
  int gpus = 0;        ///< that can be used; 0 where there is no usable one
  std::string cpu;
  int threads = 1;
  std::string commit;  ///< $HILLOCK_COMMIT, or what git said when this was built
  std::string date;    ///< UTC, ISO 8601
  std::string build;   ///< build type, compilers, GPU architectures
};

Machine this_machine();

}  // namespace hillock::bench
