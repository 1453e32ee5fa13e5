/* What archives of Debian's ask of the C library and do not get from it in a module, or not from an older one
 * (packages.cmake). */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

__attribute__((visibility("hidden"))) FILE *hillock_stderr, *hillock_stdout;
/* "Another thread may be there": what holds in any program. */
__attribute__((visibility("hidden"))) char hillock_single_threaded = 0;

__attribute__((constructor(101))) static void take_them(void) {
  hillock_stderr = stderr;
  hillock_stdout = stdout;
}

/* Functions that glibc has since 2.36, and archives made with it ask for. */
__attribute__((visibility("hidden"))) void __wrap_arc4random_buf(void* to, size_t bytes) {
  char* at = to;
  while (bytes > 0) {
    const ssize_t some = getrandom(at, bytes, 0);
    if (some < 0 && errno != EINTR) abort();
    if (some < 0) continue;
    at += some;
    bytes -= (size_t)some;
  }
}
__attribute__((visibility("hidden"))) uint32_t __wrap_arc4random(void) {
  uint32_t number;
  __wrap_arc4random_buf(&number, sizeof(number));
  return number;
}
