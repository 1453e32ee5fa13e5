#pragma once
// Private: the shape of a report's cells in its file, so that what was recorded can be drawn where
// it was from the file alone.

#include "io/hdf5/hdf5_output_file.hpp"
#include "models/report.hpp"

namespace hillock::io {

/// Adds /morphology/<population> when the layout has a shape: by branch `parent` (i32, -1 for the
/// root), `at` (f32, where on the parent it begins), `names` and `point_pointers` (u64, one more
/// than branches), by point `x`, `y`, `z` and `diameter` (f32, um).
void write_shape(hdf5::OutputFile& file, const models::ReportLayout& layout);

}  // namespace hillock::io
