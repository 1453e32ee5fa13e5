#pragma once
// What the readers of one model share: where findings go, what is already known of cells and
// populations. Lives only while a model is read.

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/errors/diagnostics.hpp"
#include "core/mechanism/signature.hpp"
#include "io/columns/csv.hpp"
#include "io/columns/data_file.hpp"
#include "io/columns/hdf5_columns.hpp"
#include "io/columns/held_arrays.hpp"
#include "io/columns/part.hpp"
#include "io/model/context/broken_mechanisms.hpp"
#include "io/model/context/cell_shape.hpp"
#include "io/model/context/mechanism_files.hpp"
#include "io/yaml/input_files.hpp"
#include "io/yaml/item.hpp"
#include "models/network.hpp"

namespace hillock::io {

/// A CSV column or list used for one value per cell; whether every cell has a row is checked when
/// populations are known.
struct ColumnUse {
  Place place;
  std::string path;           ///< of the value, for messages
  std::string of;             ///< "g.csv", "the list"
  std::string_view row_word;  ///< what it has one of for each cell: "row", "value"
  std::size_t rows = 0;
  std::optional<Expression> row;  ///< as in models::Column
};

/// What later sections need to know of a cell. Stands beside models::Network::cells.
struct CellInfo {
  bool is_cable = true;
  const MechanismSignature* artificial = nullptr;  ///< the cell is this mechanism
  std::size_t layers = 0;                          ///< extracellular ones of some region
  bool kind_known = false;  ///< false after an error: nothing that depends on the kind is checked
  bool is_sound = true;     ///< false after an error: what it lacks may be meant to be there
  bool has_detector = false;
  CellShape shape;
  double compartments = 1;  ///< about, of a cell; of a random tree on the average
  std::set<std::string> density_mechanisms;
  std::set<std::string> ions;  ///< set by the user or used by a density mechanism
  std::vector<ColumnUse> columns;
  Place place;
  bool used = false;
};

/// What later sections need to know of a population. Stands beside models::Network::populations.
struct PopulationInfo {
  std::optional<std::size_t> cell;  ///< nothing after an error
  std::optional<std::uint64_t> size;
  std::set<std::string> point_processes;  ///< put on it by projections and stimuli
  bool used = false;
};

class KnownMorphologies;

struct ReadContext {
  Signatures signatures;
  Diagnostics& diagnostics;
  InputFiles& files;
  models::Network& network;
  /// Of .mod files with errors: what uses them would only repeat that.
  BrokenMechanisms broken_mechanisms{};
  /// By name, the .mod files whose mechanisms take the place of built-in ones.
  std::map<std::string, std::string> replacing_files{};

  std::map<std::string, std::size_t> cell_index{};
  std::vector<CellInfo> cells{};
  std::map<std::string, std::size_t> population_index{};
  std::vector<PopulationInfo> populations{};
  /// By name, their numbers in Network::points; nothing after an error.
  std::map<std::string, std::optional<std::size_t>> point_index{};
  std::optional<Item> dt{};           ///< of the run, where the model says it
  bool run_known = false;             ///< dt and duration could be read
  std::vector<ColumnUse> columns{};   ///< of the part that is being read
  const CellShape* shape = nullptr;   ///< of the cell whose regions are being read
  bool point_processes_known = true;  ///< false when a projection or stimulus could not be read
  std::map<const std::string*, std::shared_ptr<const CsvTable>> tables{};  ///< [text]
  std::map<std::string, std::unique_ptr<DataFile>> hdf5_files{};           ///< [path]; or null
  const std::map<std::string, HeldArrays>* held_arrays = nullptr;          ///< as in ReadOptions
  std::filesystem::path column_reader{};                                   ///< as in ReadOptions
  Part list_part{};                                                        ///< as in ReadOptions
  KnownMorphologies* known_morphologies = nullptr;                         ///< as in ReadOptions

  /// The cell of a population, or null when that is not known.
  const CellInfo* cell_of(PopulationId population) const {
    const auto& cell = populations[population.value].cell;
    return cell ? &cells[*cell] : nullptr;
  }
};

/// The path of a file that `item` names, and its text; nothing after an error.
struct NamedFile {
  std::string shown;
  const std::string* text = nullptr;
};
std::optional<NamedFile> read_named_file(ReadContext& context, const Item& item);

/// The same of a file that is not kept.
struct PassedFile {
  std::string shown;
  std::unique_ptr<Blocks> blocks;
};
std::optional<PassedFile> open_named_file(ReadContext& context, const Item& item);

/// An HDF5 file that may be asked as long as the model is read; null after an error, which is
/// reported once. What asking it throws is the caller's to report.
DataFile* read_hdf5_file(ReadContext& context, const Item& item);

/// A part of one-dimensional datasets of such a file, read at once, and how messages name it;
/// nothing after an error.
struct FileColumns {
  std::string shown;
  std::vector<ReadColumn> columns;
};
std::optional<FileColumns> read_file_columns(ReadContext& context, const Item& file,
                                             const std::vector<std::string>& datasets,
                                             std::size_t most_values, const Part& part);

/// A group of such a file, `{hdf5: cells.h5, group: /cells/pyr}`, or the file's root; nothing after
/// an error.
struct Hdf5Group {
  DataFile& file;
  std::string path;  ///< ends with a slash: what lies in it has its name behind that
};
std::optional<Hdf5Group> read_hdf5_group(ReadContext& context, const Item& file,
                                         const std::optional<Item>& group);

/// The numbers of a CSV file, read once a model; null after an error, which is reported once.
std::shared_ptr<const CsvTable> read_csv_table(ReadContext& context, const NamedFile& file);

/// Reports columns that do not have one row for each cell of the population, or not the rows that
/// cells of the slice ask for.
void check_columns(const ReadContext& context, const std::vector<ColumnUse>& columns,
                   const models::PopulationSlice& cells);

// The sections of a model, in the order in which they are read.
void read_mechanism_files(ReadContext& context, const Item& item, const CheckMechanism& check);
void read_run(ReadContext& context, const Item& item);
void read_cells(ReadContext& context, const Item& item);
void read_populations(ReadContext& context, const Item& item);
void read_points(ReadContext& context, const Item& item);
void read_projections(ReadContext& context, const Item& item);
/// Points whose mechanism is one side of a gap junction have one each.
void check_junctions_of_points(ReadContext& context);
void read_wiring(ReadContext& context, const Item& item);
void read_stimuli(ReadContext& context, const Item& item);
void read_recordings(ReadContext& context, const Item& item);

}  // namespace hillock::io
