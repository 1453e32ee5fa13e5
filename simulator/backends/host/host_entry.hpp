#pragma once
// How the host calls a kernel that was compiled for it.

/// A kernel: run() is given the addresses of its arguments.
struct HostEntry {
  const char* name;  ///< null: none follows
  void (*run)(void** arguments);
  unsigned long bytes[10];  ///< of each argument; 0 after the last
};
