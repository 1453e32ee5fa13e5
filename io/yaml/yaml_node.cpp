#include "io/yaml/yaml_node.hpp"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <unordered_map>

#include "io/encoding.hpp"

namespace hillock::io {

namespace {

constexpr int deepest_nesting = 200;
constexpr std::uint64_t most_nodes = 2'000'000;

/// The tree cannot be built any further.
struct Stop {
  Place place;
  std::string message;
};

/// Builds nodes from yaml-cpp's events.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const Source& source, Diagnostics& diagnostics)
      : source_(source), diagnostics_(diagnostics) {}

  NodePtr root;
  /// A list or map as a key. It may only look like one because a brace or quote is never closed, so
  /// the text is read to its end before this is reported.
  std::optional<Stop> complex_key;

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnAnchor(const YAML::Mark&, const std::string&) override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (complex_key) return;
    if (takes_key()) return key(mark, "");
    const NodePtr node = make(Node::Kind::null, mark);
    remember(anchor, node);
    add(node);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (complex_key) return;
    if (takes_key()) throw Stop{place(mark), "an alias cannot be a key"};
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) throw Stop{place(mark), "the alias refers to itself"};
    add(found->second, place(mark));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (complex_key) return;
    check_tag(mark, tag);
    if (tag == "!" && static_cast<std::size_t>(mark.pos) + 1 >= source_.text.size())
      throw Stop{place(mark), "a quote that opens here is never closed"};  // the text ends with it
    if (value.find('\0') != std::string::npos)
      throw Stop{place(mark), "text cannot hold the character zero (\\0)"};
    if (takes_key()) return key(mark, value);
    const NodePtr node = make(Node::Kind::scalar, mark);
    node->quoted = tag != "?" && !tag.empty();
    node->scalar = value;
    if (!node->quoted && (value == "~" || value == "null" || value == "Null" || value == "NULL"))
      node->kind = Node::Kind::null;
    remember(anchor, node);
    add(node);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Node::Kind::list, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Node::Kind::map, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    NodePtr node;
    YAML::anchor_t anchor = 0;
    bool has_key = false;  ///< of a map: the next event is the value of the last entry
    bool dropped = false;  ///< the last key was a duplicate, its value goes nowhere
    std::unordered_map<std::string, std::size_t> keys;
  };

  Place place(const YAML::Mark& mark) const {
    return {source_.name, mark.line + 1, mark.column + 1};
  }

  NodePtr make(Node::Kind kind, const YAML::Mark& mark) {
    if (++made_ > most_nodes) throw Stop{place(mark), "the file has more than two million values"};
    auto node = std::make_shared<Node>();
    node->kind = kind;
    node->line = mark.line + 1;
    node->column = mark.column + 1;
    node->source = &source_;
    return node;
  }

  void remember(YAML::anchor_t anchor, const NodePtr& node) {
    if (anchor != 0) anchors_[anchor] = node;
  }

  void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!")
      diagnostics_.error(place(mark), "the tag " + tag + " has no meaning in a model file");
  }

  bool takes_key() const {
    return !open_.empty() && open_.back().node->kind == Node::Kind::map && !open_.back().has_key;
  }

  void key(const YAML::Mark& mark, const std::string& name) {
    Frame& frame = open_.back();
    frame.has_key = true;
    frame.dropped = false;
    if (name == "<<")
      throw Stop{place(mark),
                 "merge keys (<<) are not supported (write the keys out, or include:"
                 " a file)"};
    const auto [first, is_new] = frame.keys.try_emplace(name, frame.node->entries.size());
    if (!is_new) {
      const auto& before = frame.node->entries[first->second];
      diagnostics_.error(place(mark), fmt::format("duplicate key '{}' (it is already at {})", name,
                                                  to_string(before.place())));
      frame.dropped = true;
      return;
    }
    frame.node->entries.push_back({name, mark.line + 1, mark.column + 1, &source_, nullptr});
  }

  void add(const NodePtr& node) { add(node, node->place()); }

  void add(const NodePtr& node, const Place& where) {
    if (open_.empty()) {
      root = node;
      return;
    }
    Frame& frame = open_.back();
    Node& parent = *frame.node;
    if (parent.kind == Node::Kind::map) {
      frame.has_key = false;
      if (frame.dropped) return;
      parent.entries.back().value = node;
      if (node->kind == Node::Kind::null && node->scalar.empty()) {  // nothing stands there
        node->line = parent.entries.back().line;
        node->column = parent.entries.back().column;
      }
    } else {
      parent.items.push_back(node);
    }
    parent.weight += node->weight;
    parent.depth = std::max(parent.depth, node->depth + 1);
    if (parent.weight > most_nodes)
      throw Stop{where, "aliases make this document larger than two million values"};
    if (parent.depth + static_cast<int>(open_.size()) > deepest_nesting)
      throw Stop{where, "nested more than 200 levels deep"};
  }

  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    if (complex_key) {
      if (++ignored_ > deepest_nesting) throw Stop{place(mark), "nested more than 200 levels deep"};
      return;
    }
    if (takes_key()) {
      complex_key = Stop{place(mark),
                         "a key must be plain text, not a list or a map (quote text"
                         " that begins with [ or {)"};
      return;
    }
    if (open_.size() >= deepest_nesting)
      throw Stop{place(mark), "nested more than 200 levels deep"};
    check_tag(mark, tag);
    Frame frame;
    frame.node = make(kind, mark);
    frame.anchor = anchor;
    open_.push_back(std::move(frame));
  }

  void close() {
    if (complex_key) return;
    const NodePtr node = open_.back().node;
    remember(open_.back().anchor, node);
    open_.pop_back();
    add(node);
  }

  const Source& source_;
  Diagnostics& diagnostics_;
  std::vector<Frame> open_;
  std::unordered_map<YAML::anchor_t, NodePtr> anchors_;
  std::uint64_t made_ = 0;
  int ignored_ = 0;  ///< levels opened since the complex key
};

/// The text of line `number` (from 1).
std::string_view line_of(std::string_view text, int number) {
  for (int i = 1; i < number; ++i) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

/// yaml-cpp's message in the words of somebody who writes models, with what probably helps.
std::string explain(const Source& source, const std::string& message, int line) {
  const std::string_view text = line_of(source.text, line);
  if (text.substr(0, text.find_first_not_of(" \t")).find('\t') != std::string_view::npos)
    return "a tab indents this line (YAML indents with spaces)";
  static const std::map<std::string, std::string> words = {
      {"end of map flow not found", "'}' or a comma is missing"},
      {"end of sequence flow not found", "']' or a comma is missing"},
      {"end of map not found",
       "this line does not fit the map it stands in (is the indentation"
       " even?)"},
      {"end of sequence not found",
       "this line does not fit the list it stands in (is the"
       " indentation even?)"},
      {"illegal map value",
       "a second ': ' on one line (text that holds ': ' must be quoted, and a"
       " map inside a map begins on its own line or with {)"},
      {"illegal flow end", "a closing brace or bracket without an opening one"},
      {"illegal block entry", "'- ' cannot stand here"},
      {"illegal map key", "'? ' cannot stand here"},
      {"illegal EOF in scalar", "a quote that opens here is never closed"},
      {"unknown token", "this character cannot begin a value (quote the text)"},
      {"unknown escape character: ", "unknown escape after a backslash (write two backslashes)"},
      {"illegal tab when looking for indentation", "a tab where spaces must indent"},
      {"unexpected character found while scanning an alias",
       "text that begins with * must be quoted"},
      {"the referenced anchor is not defined",
       "text that begins with * must be quoted (it means an anchor, &name, that stands before it)"},
      {"alias not found after *", "text that begins with * must be quoted"},
      {"anchor not found after &", "text that begins with & must be quoted"},
  };
  std::string plain = message;
  for (const auto& [theirs, ours] : words)  // newer versions add details at the end
    if (message.starts_with(theirs)) plain = ours;
  const bool flow = message.find("flow") != std::string::npos;
  if (flow && text.empty()) return "the file ends before every brace and quote is closed";
  if (flow)
    plain +=
        " (inside braces, text that holds [ ] { } or a comma must be quoted, as in"
        " \"exc[0:10]\")";
  return plain;
}

}  // namespace

Place Node::place_inside(std::size_t offset) const {
  if (kind != Kind::scalar || line == 0) return place();
  const std::string_view text = line_of(source->text, line);
  const std::size_t start = static_cast<std::size_t>(column) - 1 + (quoted ? 1 : 0);
  if (start > text.size() || offset > scalar.size() ||
      !text.substr(start).starts_with(std::string_view(scalar).substr(0, offset)))
    return place();
  return {source->name, line, static_cast<int>(start + offset) + 1};
}

const Node* Node::find(std::string_view key) const {
  for (const auto& entry : entries)
    if (entry.key == key) return entry.value.get();
  return nullptr;
}

Node::Entry* Node::find_entry(std::string_view key) {
  for (auto& entry : entries)
    if (entry.key == key) return &entry;
  return nullptr;
}

namespace {

NodePtr parsed(const Source& source, Diagnostics& diagnostics) {
  if (const auto problem = encoding_problem(source.text)) {
    diagnostics.error({source.name, problem->line, problem->column}, problem->message);
    return nullptr;
  }
  TreeBuilder builder(source, diagnostics);
  try {
    std::istringstream stream{std::string(source.text)};
    YAML::Parser parser(stream);
    const bool any = parser.HandleNextDocument(builder);
    if (builder.complex_key) throw Stop(*builder.complex_key);
    if (!any || !builder.root) {
      diagnostics.error({source.name, 1, 1}, "the file is empty");
      return nullptr;
    }
    NodePtr root = builder.root;
    TreeBuilder second(source, diagnostics);
    if (parser.HandleNextDocument(second) && second.root) {
      diagnostics.error(second.root->place(),
                        "a second YAML document begins here (a model file holds one document;"
                        " take the line --- away, or include: another file)");
      return nullptr;
    }
    return root;
  } catch (const Stop& stop) {
    diagnostics.error(stop.place, stop.message);
  } catch (const YAML::DeepRecursion& error) {
    diagnostics.error({source.name, error.mark.line + 1, error.mark.column + 1},
                      "nested more than 200 levels deep");
  } catch (const YAML::Exception& error) {
    const int line = std::max(error.mark.line, 0) + 1;
    const int column = std::max(error.mark.column, 0) + 1;
    diagnostics.error({source.name, line, column},
                      "YAML syntax: " + explain(source, error.msg, line));
  }
  return nullptr;
}

/// What was read before: who reads a model again and again has the same text.
class KnownTrees {
 public:
  /// Null: none of this text.
  NodePtr find(const Source& source) const {
    std::shared_ptr<const Known> found;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& known : all_)
        if (known->text == source.text) found = known;
    }
    return found ? Copying(source).of(found->root) : nullptr;
  }
  void add(const Source& source, const NodePtr& root) {
    if (source.text.size() > largest) return;
    auto known = std::make_shared<Known>();
    known->text = source.text;
    known->root = Copying(known->none).of(root);
    const std::lock_guard lock(mutex_);
    if (all_.size() == most) all_.erase(all_.begin());
    all_.push_back(std::move(known));
  }

 private:
  static constexpr std::size_t most = 4, largest = 1u << 20;
  struct Known {
    std::string text;
    Source none;
    NodePtr root;
  };
  /// A tree for another source. What aliases share they share there.
  struct Copying {
    explicit Copying(const Source& its) : source(its) {}
    NodePtr of(const NodePtr& node) {
      if (!node) return nullptr;
      NodePtr& made = copies[node.get()];
      if (made) return made;
      const NodePtr copy = made = std::make_shared<Node>(*node);
      copy->source = &source;
      for (NodePtr& item : copy->items) item = of(item);
      for (Node::Entry& entry : copy->entries) {
        entry.source = &source;
        entry.value = of(entry.value);
      }
      return copy;
    }
    const Source& source;
    std::unordered_map<const Node*, NodePtr> copies;
  };

  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const Known>> all_;
};

}  // namespace

NodePtr parse_yaml(const Source& source, Diagnostics& diagnostics) {
  static KnownTrees known;
  if (NodePtr root = known.find(source)) return root;
  const std::size_t before = diagnostics.all().size();
  NodePtr root = parsed(source, diagnostics);
  if (root && diagnostics.all().size() == before) known.add(source, root);
  return root;
}

}  // namespace hillock::io
