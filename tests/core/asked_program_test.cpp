#include "core/program/asked_program.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "core/errors/errors.hpp"

namespace hillock {
namespace {

using std::chrono::seconds;

/// A shell that runs this text.
std::vector<std::string> in_shell(const char* text) {
  return {"/bin/sh", "-c", text};
}

TEST(AskedProgram, AnswersOnTheSocketThatItIsAskedOn) {
  AskedProgram echo(in_shell("exec cat"), seconds(60));
  // More than the socket holds at a time, so both sides have to wait for the other.
  const std::string asked(1 << 16, 'x');
  std::string answer(asked.size(), ' ');
  for (int i = 0; i < 32; ++i) {
    ASSERT_TRUE(echo.send(asked.data(), asked.size()));
    ASSERT_TRUE(echo.receive(answer.data(), answer.size()));
    EXPECT_EQ(answer, asked);
  }
  EXPECT_EQ(echo.end(), 128 + SIGKILL);
  EXPECT_FALSE(echo.timed_out());
}

TEST(AskedProgram, KeepsTheStatusThatItEndsWith) {
  char answer = 0;
  AskedProgram exits(in_shell("exit 3"), seconds(60));
  EXPECT_FALSE(exits.receive(&answer, 1));
  EXPECT_EQ(exits.end(), 3);
  EXPECT_EQ(exits.end(), 3);
  AskedProgram dies(in_shell("kill -SEGV $$"), seconds(60));
  EXPECT_FALSE(dies.receive(&answer, 1));
  EXPECT_EQ(dies.end(), 128 + SIGSEGV);
}

TEST(AskedProgram, GoneWhileItIsAskedIsNoSignalHere) {
  AskedProgram deaf(in_shell("exec true"), seconds(60));
  const std::string much(1 << 22, 'x');
  EXPECT_FALSE(deaf.send(much.data(), much.size()));
  EXPECT_EQ(deaf.end(), 0);
}

TEST(AskedProgram, IsGivenUpAfterItsTime) {
  char answer = 0;
  AskedProgram silent(in_shell("exec sleep 1000"), seconds(1));
  EXPECT_FALSE(silent.receive(&answer, 1));
  EXPECT_TRUE(silent.timed_out());
  EXPECT_EQ(silent.end(), 128 + SIGKILL);
}

TEST(AskedProgram, TakesSignalsThatThisProcessIgnoresOrBlocks) {
  const auto before = std::signal(SIGTERM, SIG_IGN);
  sigset_t all, old;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &old);
  AskedProgram program(in_shell("kill -TERM $$; exit 0"), seconds(60));
  ::pthread_sigmask(SIG_SETMASK, &old, nullptr);
  std::signal(SIGTERM, before);
  char answer = 0;
  EXPECT_FALSE(program.receive(&answer, 1));
  EXPECT_EQ(program.end(), 128 + SIGTERM);
}

TEST(AskedProgram, WhichIsNotThereIsAnError) {
  EXPECT_THROW(AskedProgram({"/nowhere/program"}, seconds(60)), InputOutputError);
}

}  // namespace
}  // namespace hillock
