#include "io/yaml/model_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "core/errors/errors.hpp"
#include "core/program/option_words.hpp"
#include "core/program/whole_file.hpp"
#include "core/units/quantity.hpp"
#include "io/encoding.hpp"

namespace hillock::io {

namespace {

/// Follows includes depth first; a file that is included along two ways is read once.
class DocumentReader {
 public:
  DocumentReader(ModelDocument& document, InputFiles& files, Diagnostics& diagnostics)
      : document_(document), files_(files), diagnostics_(diagnostics) {}

  void add_file(const std::filesystem::path& path, const std::string& shown,
                const std::string& text) {
    std::error_code error;
    std::string identity = std::filesystem::weakly_canonical(path, error).string();
    if (error) identity = path.string();
    chain_.push_back({identity, shown});
    done_.insert(identity);
    document_.sources.push_back({shown, path.parent_path(), without_byte_order_mark(text)});
    const Source& source = document_.sources.back();
    const NodePtr root = parse_yaml(source, diagnostics_);
    if (!root) {
      document_.complete = false;
    } else if (root->kind != Node::Kind::map) {
      document_.complete = false;
      diagnostics_.error(root->place(), "a model file is a map of keys such as run: and cells:");
    } else {
      merge(*root);
      if (const Node* include = root->find("include")) follow(*include);
    }
    chain_.pop_back();
  }

 private:
  struct Link {
    std::string identity;
    std::string shown;
  };

  void follow(const Node& include) {
    if (include.kind == Node::Kind::scalar) return follow_one(include);
    if (include.kind != Node::Kind::list)
      return diagnostics_.error(include.place(), "include: takes a file name or a list of them");
    for (const auto& item : include.items) {
      if (item->kind == Node::Kind::scalar)
        follow_one(*item);
      else
        diagnostics_.error(item->place(), "include: takes file names");
    }
  }

  void follow_one(const Node& node) {
    const auto resolved = files_.resolve(node.scalar, *node.source);
    std::error_code error;
    std::string identity = std::filesystem::weakly_canonical(resolved.path, error).string();
    if (error) identity = resolved.path.string();
    const auto loop = std::find_if(chain_.begin(), chain_.end(),
                                   [&](const Link& link) { return link.identity == identity; });
    if (loop != chain_.end()) {
      std::string cycle;
      for (auto link = loop; link != chain_.end(); ++link) cycle += link->shown + " -> ";
      diagnostics_.error(node.place(),
                         "the files include each other in a circle: " + cycle + loop->shown);
      document_.complete = false;
      return;
    }
    if (done_.contains(identity)) return;
    const std::string* text = files_.read(resolved, node.scalar, node.place(), diagnostics_);
    if (text && text->size() <= largest_model_file)
      return add_file(resolved.path, resolved.shown, *text);
    document_.complete = false;
    if (text) diagnostics_.error(node.place(), "the file is larger than 64 MiB");
  }

  /// Adds the entries of `from` to the document.
  void merge(const Node& from) {
    if (!document_.root) {
      document_.root = std::make_shared<Node>(from);
      for (auto& entry : document_.root->entries)
        if (entry.value->kind == Node::Kind::map || entry.value->kind == Node::Kind::list)
          entry.value = std::make_shared<Node>(*entry.value);
      return;
    }
    for (const auto& entry : from.entries) {
      if (entry.key == "include" || entry.key == "hillock") {
        if (entry.key == "hillock") check_version(entry);
        continue;
      }
      Node::Entry* present = document_.root->find_entry(entry.key);
      if (!present) {
        document_.root->entries.push_back(entry);
        auto& value = document_.root->entries.back().value;
        value = std::make_shared<Node>(*value);
      } else {
        merge_entry(*present, entry);
      }
    }
  }

  void check_version(const Node::Entry& entry) {
    const Node* version = document_.root->find("hillock");
    if (version && version->kind == Node::Kind::scalar && entry.value->kind == Node::Kind::scalar &&
        version->scalar != entry.value->scalar)
      diagnostics_.error(entry.value->place(),
                         fmt::format("version {} differs from the including file's {}",
                                     entry.value->scalar, version->scalar));
  }

  void merge_entry(Node::Entry& present, const Node::Entry& added) {
    Node& into = *present.value;
    const Node& value = *added.value;
    if (value.kind == Node::Kind::null) return;
    if (into.kind == Node::Kind::null) {
      into = value;
    } else if (into.kind == Node::Kind::list && value.kind == Node::Kind::list) {
      into.items.insert(into.items.end(), value.items.begin(), value.items.end());
    } else if (into.kind == Node::Kind::map && value.kind == Node::Kind::map) {
      std::set<std::string_view> names;
      for (const auto& entry : into.entries) names.insert(entry.key);
      std::vector<Node::Entry> fresh;
      for (const auto& entry : value.entries) {
        if (names.contains(entry.key))
          diagnostics_.error(
              entry.place(),
              fmt::format("{}.{} is defined twice (also at {})", present.key, entry.key,
                          to_string(into.find_entry(entry.key)->place())));
        else
          fresh.push_back(entry);
      }
      into.entries.insert(into.entries.end(), fresh.begin(), fresh.end());
    } else {
      diagnostics_.error(added.place(), fmt::format("{} is defined twice (also at {})", added.key,
                                                    to_string(present.place())));
    }
  }

  ModelDocument& document_;
  InputFiles& files_;
  Diagnostics& diagnostics_;
  std::vector<Link> chain_;
  std::set<std::string> done_;
};

std::vector<std::string> split_path(const std::string& path) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (true) {
    const std::size_t dot = path.find('.', start);
    parts.push_back(path.substr(start, dot - start));
    if (dot == std::string::npos) return parts;
    start = dot + 1;
  }
}

/// The child slot of `node` that `part` names; a missing last key of a map is made.
NodePtr* child_slot(Node& node, const std::string& part, bool is_last, const Source& source,
                    std::string& problem) {
  if (node.kind == Node::Kind::list) {
    std::size_t index = 0;
    const auto [end, status] = std::from_chars(part.data(), part.data() + part.size(), index);
    if (status != std::errc{} || end != part.data() + part.size())
      problem = fmt::format("'{}' must be the number of a list entry, counted from 0", part);
    else if (index >= node.items.size())
      problem =
          fmt::format("the list has {} entries, so there is no entry {}", node.items.size(), part);
    else
      return &node.items[index];
    return nullptr;
  }
  if (node.kind != Node::Kind::map) {
    problem = fmt::format("there is nothing below this value that '{}' could name", part);
    return nullptr;
  }
  if (auto* entry = node.find_entry(part)) return &entry->value;
  if (is_last) {
    const auto fresh = std::make_shared<Node>();
    fresh->source = &source;
    node.entries.push_back({part, 0, 0, &source, fresh});
    return &node.entries.back().value;
  }
  std::vector<std::string> keys;
  for (const auto& entry : node.entries) keys.push_back(entry.key);
  problem = fmt::format("there is no '{}' in the model.{}", part, did_you_mean(part, keys));
  return nullptr;
}

/// Null after an error.
NodePtr parse_override(const Source& source, Diagnostics& diagnostics) {
  const std::string_view text = trim(source.text);
  const bool structured = !text.empty() && std::string_view("[{\"'").find(text[0]) != text.npos;
  NodePtr node;
  if (structured) {
    node = parse_yaml(source, diagnostics);
  } else if (const auto problem = encoding_problem(text)) {
    diagnostics.error({source.name, 0, 0}, problem->message);
  } else {
    node = std::make_shared<Node>();
    node->kind = text.empty() ? Node::Kind::null : Node::Kind::scalar;
    node->scalar = std::string(text);
    node->source = &source;
  }
  return node;
}

/// Of all numbers in a value.
void use_base_units(Node& node) {
  node.has_base_unit = !node.quoted;
  for (const NodePtr& item : node.items) use_base_units(*item);
  for (const Node::Entry& entry : node.entries) use_base_units(*entry.value);
}

}  // namespace

ModelDocument read_document(const std::filesystem::path& file, std::optional<std::string> text,
                            InputFiles& files, Diagnostics& diagnostics) {
  if (!text) {
    const std::string problem = read_whole_file(file, largest_model_file, text.emplace());
    if (!problem.empty()) throw InputOutputError(file.string(), problem);
  } else if (text->size() > largest_model_file) {
    throw InputOutputError(file.string(), "the model is larger than 64 MiB");
  }
  ModelDocument document;
  const std::string& kept = files.add(file, file.string(), std::move(*text));
  DocumentReader(document, files, diagnostics).add_file(file, file.string(), kept);
  return document;
}

void apply_overrides(ModelDocument& document, const std::vector<Override>& overrides,
                     Diagnostics& diagnostics) {
  if (!document.root) return;
  for (const auto& [path, value, has_base_units] : overrides) {
    document.override_texts.push_back(value);
    document.sources.push_back({option_words().set, {}, document.override_texts.back()});
    const Source& source = document.sources.back();
    const Place place{option_words().set, 0, 0};
    const auto parts = split_path(path);
    if (!parts.empty() && (parts.front() == "include" || parts.front() == "hillock")) {
      diagnostics.error(place, fmt::format("{}: cannot be set from outside the file", path));
      continue;
    }
    // Before the tree is touched: a value that cannot be read leaves no hole in it.
    Diagnostics found;
    NodePtr value_node = parse_override(source, found);
    for (const auto& diagnostic : found.all())
      diagnostics.error(diagnostic.place, fmt::format("{}: {}", path, diagnostic.message));
    if (!value_node) continue;
    if (has_base_units) use_base_units(*value_node);
    NodePtr* slot = &document.root;
    for (std::size_t i = 0; i < parts.size() && slot; ++i) {
      // Nodes may be shared through aliases: only this path's copies change.
      *slot = std::make_shared<Node>(**slot);
      std::string problem;
      slot = child_slot(**slot, parts[i], i + 1 == parts.size(), source, problem);
      if (!slot) diagnostics.error(place, fmt::format("{}: {}", path, problem));
    }
    if (slot) *slot = std::move(value_node);
  }
}

}  // namespace hillock::io
