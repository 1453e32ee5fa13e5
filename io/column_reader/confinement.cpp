#include "io/column_reader/confinement.hpp"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <limits>
#include <vector>

namespace hillock::io::columns {

namespace {

void limit_to(int resource, rlim_t soft, rlim_t hard) {
  const rlimit limits{soft, hard};
  ::setrlimit(resource, &limits);
}

#if defined(__x86_64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t architecture = 0;  // not known here: no filter
#endif

/// Lets through what follows for reading, writing, memory and ending; all else fails with EPERM.
void filter_calls() {
  if (architecture == 0) return;
  const auto load = [](std::size_t offset) {
    return sock_filter(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  };
  const auto answer = [](std::uint32_t action) {
    return sock_filter(BPF_STMT(BPF_RET | BPF_K, action));
  };
  const auto unless_equal_skip = [](std::uint32_t value, std::uint8_t count) {
    return sock_filter(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count));
  };
  // The same number means another call on another architecture.
  std::vector<sock_filter> program{
      load(offsetof(seccomp_data, arch)),
      sock_filter(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, architecture, 1, 0)),
      answer(SECCOMP_RET_KILL_PROCESS), load(offsetof(seccomp_data, nr))};
  for (const long call : {SYS_read, SYS_write, SYS_munmap, SYS_mremap, SYS_madvise, SYS_brk,
                          SYS_futex, SYS_exit, SYS_exit_group, SYS_rt_sigprocmask, SYS_rt_sigreturn,
                          SYS_clock_gettime, SYS_gettimeofday}) {
    program.push_back(unless_equal_skip(static_cast<std::uint32_t>(call), 1));
    program.push_back(answer(SECCOMP_RET_ALLOW));
  }
  // Memory, but none to execute. The third argument's lower half is its first on both machines.
  for (const long call : {SYS_mmap, SYS_mprotect}) {
    program.push_back(unless_equal_skip(static_cast<std::uint32_t>(call), 4));
    program.push_back(load(offsetof(seccomp_data, args) + 2 * sizeof(std::uint64_t)));
    program.push_back(sock_filter(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0)));
    program.push_back(answer(SECCOMP_RET_ALLOW));
    program.push_back(answer(SECCOMP_RET_ERRNO | EPERM));
  }
  program.push_back(answer(SECCOMP_RET_ERRNO | EPERM));
  const sock_fprog whole{static_cast<unsigned short>(program.size()), program.data()};
  // A kernel or a container without seccomp refuses this; the limits still hold.
  ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &whole, 0, 0);
}

}  // namespace

void confine(std::uint64_t cpu_seconds, std::uint64_t memory_bytes) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  ::syscall(SYS_close_range, 3U, std::numeric_limits<unsigned>::max(), 0U);
  limit_to(RLIMIT_CPU, cpu_seconds, cpu_seconds + 1);
#if !defined(__SANITIZE_ADDRESS__)  // whose shadow is terabytes of addresses
  limit_to(RLIMIT_AS, memory_bytes, memory_bytes);
#endif
  for (const int resource : {RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_FSIZE, RLIMIT_CORE})
    limit_to(resource, 0, 0);
  filter_calls();
}

}  // namespace hillock::io::columns
