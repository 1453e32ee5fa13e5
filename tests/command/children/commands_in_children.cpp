// Runs hillock's commands one after the other, each in a child that this process forks when it has
// once done such commands itself: what a program that watches (valgrind) has learnt of the code is
// then known to every child.
//
//     commands_in_children < LINES
//
// A line is a command's words with a tab between two of them. "!" before the first: it is run here,
// beforehand. Of that "# PID CODE" is told, of every other line two such: of a child that did nothing,
// then of the one that ran it.

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "simulator/command/program.hpp"

namespace {

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words{"hillock"};
  std::istringstream text(line);
  for (std::string word; std::getline(text, word, '\t');) words.push_back(word);
  return words;
}

int run(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return hillock::command::run_program(static_cast<int>(words.size()), arguments.data());
}

void tell(pid_t process, int code) {
  fmt::print("# {} {}\n", process, code);
  std::fflush(stdout);
}

/// A child that ends with run()'s code.
template <class Run>
void tell_child(const Run& run) {
  const pid_t child = fork();
  if (child < 0) {
    std::perror("fork");
    std::exit(1);
  }
  if (child == 0) {
    if (!std::freopen("/dev/null", "w", stdout)) std::_Exit(1);
    std::_Exit(run());  // what the streams of this process have is the parent's
  }
  int status = 0;
  waitpid(child, &status, 0);
  tell(child, WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    if (line.starts_with('!')) {
      tell(getpid(), run(words_of(line.substr(1))));
      continue;
    }
    tell_child([] { return 0; });
    tell_child([&] { return run(words_of(line)); });
  }
}
