#pragma once
// Standard input, output and error of a program: what a closed pipe, a closed descriptor and a full
// disk come to. Not here: what is written.

namespace hillock {

/// To be called first. A closed pipe, and a file that grows beyond the shell's limit (ulimit -f),
/// then are failures of writing and no longer end the program; no file is opened under the number
/// of a standard stream that was closed.
void guard_standard_streams();

/// To be called last. Throws InputOutputError when something of standard output could not be
/// written; `reason` is the errno of an earlier failure, if one is known. When its reader went away
/// (a closed pipe) the program ends here as by SIGPIPE, without a word.
void finish_standard_output(int reason = 0);

}  // namespace hillock
