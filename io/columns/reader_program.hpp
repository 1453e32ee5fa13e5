#pragma once
// Private: the program hillock-read-columns as those see it who ask it: where it lies, how long it
// may take, what its answers mean in words.

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/program/asked_program.hpp"

namespace hillock::io::columns {

/// The reader beside the program that runs, else beside the library that this is linked into. Never
/// one that a relative name leads to: that may be a stranger's. Throws InputOutputError.
std::filesystem::path find_reader();

/// A good file of this size takes a few seconds of these.
std::uint64_t cpu_seconds_for(std::uint64_t bytes);

/// Why a dataset is not read, by the Problem of an answer; empty where there is none.
std::string problem_text(std::uint32_t problem, std::uint32_t detail, const std::string& dataset,
                         std::uint64_t most_values);

/// Why a reader says no more. Ends it.
std::string why_it_ended(AskedProgram& program, std::uint64_t cpu_seconds);

}  // namespace hillock::io::columns
