#include "io/column_reader/confinement.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace hillock::io::columns {
namespace {

constexpr std::size_t page = 4096;

bool can_map(int protection, std::size_t bytes) {
  return ::mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}

/// The line of the first thing that a confined process can still do and should not (what it writes
/// goes nowhere); 0 when there is none.
int first_escape() {
  if (::open("/dev/null", O_RDONLY) >= 0) return __LINE__;
  if (::dup(STDERR_FILENO) >= 0) return __LINE__;
#if !defined(__SANITIZE_ADDRESS__)
  if (can_map(PROT_READ | PROT_WRITE, std::size_t{1} << 32)) return __LINE__;
#endif
  if (!can_map(PROT_READ | PROT_WRITE, page)) return __LINE__;
  // Where the kernel has no seccomp, the rest is not denied.
  if (::prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 0) return 0;
  if (can_map(PROT_READ | PROT_EXEC, page)) return __LINE__;
  if (::fork() >= 0) return __LINE__;
  if (::kill(::getppid(), 0) == 0) return __LINE__;
  if (::socket(AF_INET, SOCK_STREAM, 0) >= 0) return __LINE__;
  if (::unlink("/nowhere/file") == 0 || errno != EPERM) return __LINE__;
  return 0;
}

TEST(ConfinementDeathTest, LeavesReadingWritingAndMemory) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer maps and writes on its own, which is what is taken away here";
#endif
  EXPECT_EXIT(
      {
        confine(10, std::uint64_t{1} << 31);
        ::_exit(first_escape());
      },
      testing::ExitedWithCode(0), "");
}

TEST(ConfinementDeathTest, EndsWhatComputesForEver) {
  EXPECT_EXIT(
      {
        confine(1, std::uint64_t{1} << 31);
        for (volatile bool on = true; on;) {
        }
      },
      testing::KilledBySignal(SIGXCPU), "");
}

}  // namespace
}  // namespace hillock::io::columns
