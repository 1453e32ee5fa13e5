// `mechanisms:`: the .mod files of a model, and what their mechanisms are called.

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "io/model/context/mechanism_files.hpp"
#include "io/model/context/read_context.hpp"
#include "io/model/mechanisms/read_tables.hpp"

namespace hillock::io {

namespace {

namespace fs = std::filesystem;

/// Keys that stand beside mechanisms in regions and synapses.
const std::set<std::string> keys_of_models{
    "of", "distance", "cm", "Ra", "diam", "at", "v_init", "ions", "discretization", "optional"};

/// The files that a pattern of * ? [ ] matches. `folder` is taken as it is written.
std::vector<fs::path> files_like(const fs::path& folder, const std::string& pattern) {
  std::string whole;
  if (!folder.empty() && pattern.front() != '/') {
    for (const char c : folder.string()) {
      if (std::string_view("\\*?[").find(c) != std::string_view::npos) whole += '\\';
      whole += c;
    }
    if (whole.back() != '/') whole += '/';
  }
  whole += pattern;
  std::vector<fs::path> files;
  glob_t matches{};
  if (::glob(whole.c_str(), GLOB_NOSORT, nullptr, &matches) == 0)
    for (std::size_t i = 0; i < matches.gl_pathc; ++i)
      files.push_back(fs::path(matches.gl_pathv[i]).lexically_normal());
  ::globfree(&matches);
  std::error_code error;
  std::erase_if(files, [&](const fs::path& file) { return fs::is_directory(file, error); });
  std::ranges::sort(files);
  return files;
}

class MechanismFilesReader {
 public:
  MechanismFilesReader(ReadContext& context, const CheckMechanism& check)
      : context_(context), check_(check), options_(defaults()) {}

  /// {file, tables, use_tables, derivative, peer}
  void read_map(const Item& item) {
    MapReader map(item, "a mechanism's file");
    const auto file = map.require("file");
    const auto tables = map.find("tables");
    const auto use_tables = map.find("use_tables");
    const auto derivative = map.find("derivative");
    const auto peer = map.find("peer");
    if (!map.finish()) return;
    options_ = read_options(tables, use_tables, derivative, peer);
    takes_one_ = tables || peer;
    read(*file);
    takes_one_ = false;
    options_ = defaults();
  }

  void read(const Item& item) {
    constexpr std::string_view library = "library:";
    const auto name = item.text("a .mod file, a folder of them, or a pattern such as mods/*.mod");
    if (!name) return;
    if (name->empty()) return item.error("the file's name is empty");
    const bool in_library = name->starts_with(library);
    const Source& source = *item.node().source;
    prefix_ = in_library ? library : "";
    base_ =
        in_library ? context_.files.resolve(std::string(library), source).path : source.directory;
    const fs::path path = context_.files.resolve(*name, source).path;
    switch (form_of(*name, path)) {
      case Form::folder:
        return read_all(item, mod_files_in(path), "there is no .mod file in the folder");
      case Form::pattern:
        return read_all(item, files_like(base_, name->substr(prefix_.size())), "no file is like");
      case Form::file:
        return read_one(item, path);
    }
  }

  /// Of entries that reach the same file, the one with the lowest number reads it: what gives
  /// options to the file itself, then what gives them to a folder or pattern, then bare names.
  int turn(const Item& entry) const {
    if (!entry.is_map()) return 2;
    const Node* file = entry.node().find("file");
    const bool is_one =
        !file || form_of(file->scalar, context_.files.resolve(file->scalar, *file->source).path) ==
                     Form::file;
    return is_one ? 0 : 1;
  }

 private:
  enum class Form { file, folder, pattern };

  static Form form_of(const std::string& name, const fs::path& path) {
    std::error_code error;
    if (fs::is_directory(path, error)) return Form::folder;
    const bool is_pattern =
        !fs::exists(path, error) && name.find_first_of("*?[") != std::string::npos;
    return is_pattern ? Form::pattern : Form::file;
  }

  /// Of a file that is given none.
  MechanismOptions defaults() const {
    MechanismOptions options;
    options.constants = context_.network.run.constants;
    return options;
  }

  std::optional<MechanismOptions> read_options(const std::optional<Item>& tables,
                                               const std::optional<Item>& use_tables,
                                               const std::optional<Item>& derivative,
                                               const std::optional<Item>& peer) {
    MechanismOptions options = defaults();
    bool good = true;
    const auto take = [&good](auto value, auto& to) {
      good = good && value;
      if (value) to = std::move(*value);
    };
    bool uses = false;
    if (tables) take(read_tables(context_, *tables), options.tables);
    if (use_tables) take(use_tables->boolean(), uses);
    std::size_t slope = 0;
    if (derivative) take(derivative->choice({"exact", "neuron"}), slope);
    if (peer) take(peer->text("the name of a POINTER"), options.peer);
    if (peer) options.peer_place = peer->place();
    options.slope = slope == 1 ? CurrentSlope::secant : CurrentSlope::exact;
    options.table_use = uses ? TableUse::interpolated : TableUse::computed;
    return good ? std::optional(std::move(options)) : std::nullopt;
  }

  void read_all(const Item& item, const std::vector<fs::path>& files, const char* none) {
    if (takes_one_)
      return item.error("tables and a peer are given to one file, not to a folder or pattern");
    if (files.empty()) item.error(fmt::format("{} '{}'", none, item.node().scalar));
    is_one_of_many_ = true;
    for (const fs::path& file : files) read_one(item, file);
    is_one_of_many_ = false;
  }

  /// As the model names it, whatever folder the program was started in.
  std::string name_of(const fs::path& path) const {
    const fs::path relative = path.lexically_relative(base_.empty() ? "." : base_);
    return prefix_ + (relative.empty() ? path : relative).string();
  }

  void read_one(const Item& item, const fs::path& path) {
    std::error_code error;
    const fs::path canonical = fs::weakly_canonical(path, error);
    const auto [done, is_new] = done_.emplace(canonical, item.place());
    if (!is_new && takes_one_)
      item.error(fmt::format("{} is also named at {}: give its tables and peer once", name_of(path),
                             to_string(done->second)));
    if (!is_new) return;
    Diagnostics found;
    const auto read = [&](const fs::path& file, const fs::path& known = {}) {
      return context_.files.read({file, file.string(), known.string()}, name_of(file), item.place(),
                                 found);
    };
    const std::string* text = read(path, error ? fs::path{} : canonical);
    for (const auto& diagnostic : found.all()) item.error(diagnostic.message);
    if (!text) return;
    const ReadIncluded include = [&](const fs::path& file) {
      const std::string* included = read(file);
      return included ? std::optional(*included) : std::nullopt;
    };
    Diagnostics inside;
    add(check_({path.string(), *text, item.place(), options_}, include, inside), item,
        inside.all());
  }

  /// found: in the file.
  void add(CheckedMechanism mechanism, const Item& item, const std::vector<Diagnostic>& found) {
    if (!mechanism.signature) {
      context_.signatures.erase(mechanism.name);  // it would have been another
      if (is_one_of_many_) return context_.broken_mechanisms.add(std::move(mechanism.name), found);
      context_.broken_mechanisms.add(std::move(mechanism.name));
    }
    for (const Diagnostic& diagnostic : found) context_.diagnostics.add(diagnostic);
    if (!mechanism.signature) return;
    const std::string& name = mechanism.name;
    const auto refuse = [&](const std::string& why) {
      context_.diagnostics.error(mechanism.place, fmt::format("{} (the file is named at {})", why,
                                                              to_string(item.place())));
    };
    if (keys_of_models.contains(name))
      refuse(
          fmt::format("no mechanism can be called '{}', which is a key of the model file", name));
    else if (const auto other = places_.find(name); other != places_.end())
      refuse(
          fmt::format("the mechanism '{}' is also defined at {}", name, to_string(other->second)));
    else
      take_name(mechanism);
  }

  /// A built-in mechanism may have had the name until now.
  void take_name(CheckedMechanism& mechanism) {
    const std::string& name = mechanism.name;
    places_.emplace(name, mechanism.place);
    if (context_.signatures.contains(name)) {
      context_.diagnostics.note(
          mechanism.place,
          fmt::format("'{0}' takes the place of the built-in mechanism of that name (hillock mech "
                      "show {0})",
                      name));
      context_.replacing_files.emplace(name, mechanism.place.file);
    }
    context_.signatures.insert_or_assign(name, std::move(*mechanism.signature));
  }

  ReadContext& context_;
  const CheckMechanism& check_;
  std::string prefix_;                       ///< "library:" while names are relative to the library
  fs::path base_;                            ///< what names are relative to
  std::optional<MechanismOptions> options_;  ///< of the entry at hand
  bool takes_one_ = false;                   ///< it has tables or a peer
  bool is_one_of_many_ = false;              ///< of a folder or pattern
  std::map<fs::path, Place> done_;
  std::map<std::string, Place> places_;
};

}  // namespace

std::vector<fs::path> mod_files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().extension() == ".mod" && !entry->is_directory(error))
      files.push_back(entry->path());
  std::ranges::sort(files);
  return files;
}

void read_mechanism_files(ReadContext& context, const Item& item, const CheckMechanism& check) {
  if (item.is_null()) return;
  const auto entries = item.list("a list of .mod files");
  if (!entries || entries->empty()) return;
  if (!check) return item.error("this program cannot compile mechanisms");
  MechanismFilesReader reader(context, check);
  std::vector<Item> in_turn = *entries;
  std::ranges::stable_sort(in_turn, {}, [&](const Item& entry) { return reader.turn(entry); });
  for (const Item& entry : in_turn) entry.is_map() ? reader.read_map(entry) : reader.read(entry);
}

}  // namespace hillock::io
