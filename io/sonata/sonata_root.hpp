#pragma once
// Private: what the root of every SONATA file says, and checks of names.

#include <string>

#include "io/hdf5/hdf5_output_file.hpp"
#include "io/sonata/sonata.hpp"

namespace hillock::io {

/// magic, version and the provenance, as attributes of the root group.
void write_root(hdf5::OutputFile& file, const Provenance& provenance);

/// Throws InputOutputError when the name of a population or a report cannot be one link or file.
void check_name(const std::filesystem::path& directory, const std::string& name);

}  // namespace hillock::io
