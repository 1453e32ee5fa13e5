#include "simulator/command/program.hpp"

int main(int argc, char** argv) {
  return hillock::command::run_program(argc, argv);
}
