// The rules by which NEURON 8.2.2 reads SWC, found by experiment; tests/peer/import3d_parity.py
// compares. Every odd case below is one that NEURON has; docs/morphology.md lists them.

#include <fmt/format.h>

#include <cmath>

#include "io/morphology/sections.hpp"
#include "io/swc/swc_cables.hpp"

namespace hillock::io::swc {

namespace {

/// A section: the samples [first, end), all of the type of the first, after the parent's sample.
struct Section {
  int first = 0;
  int end = 0;
  int parent = -1;        ///< section
  double at = 1;          ///< on the parent
  bool from_own = false;  ///< starts at its first own sample instead of the parent's
  int point_count = 0;    ///< with the parent's sample
};

class Import {
 public:
  explicit Import(const std::vector<Sample>& samples)
      : samples_(samples), up_(samples.size()), size_(static_cast<int>(samples.size())) {
    for (int i = 0; i < size_; ++i) up_[i] = samples[i].parent;
  }

  std::vector<Section> sections();
  bool soma_is_one_point() const { return three_point_soma_; }
  bool joins_first_own(int sample) const { return joins_first_own_[sample] != 0; }

 private:
  bool is_soma(int i) const { return samples_[i].type == soma_type; }
  void count_children();
  void find_three_point_soma();
  void join_soma_runs();
  Section section(int index, int first, int end, const std::vector<Section>& before) const;

  const std::vector<Sample>& samples_;
  std::vector<int> up_;
  int size_;
  /// A sample ends its section unless its count is `one`: a child on the next line counts 100, any
  /// other 101, and a child of another type 1 more.
  std::vector<long> children_;
  static constexpr long one = 100;
  std::vector<int> soma_children_;
  std::vector<char> joins_first_own_;  ///< the section that starts here joins the parent's 0 end
  std::vector<int> section_of_;
  bool three_point_soma_ = false;
};

void Import::count_children() {
  children_.assign(size_, 0);
  soma_children_.assign(size_, 0);
  joins_first_own_.assign(size_, 0);
  for (int i = 1; i < size_; ++i) {
    const int p = up_[i];
    children_[p] += one;
    if (p != i - 1) {
      children_[p] += 1;
      // A sample that branches right where its neurite leaves the soma does not make a section of
      // one sample: later children join the 0 end. So do later children of a root not of the soma.
      const bool first_own = p > 1 && !is_soma(p) && is_soma(up_[p]);
      if (first_own || (p == 0 && !is_soma(0))) {
        joins_first_own_[i] = 1;
        children_[p] = one;
      }
    }
    if (samples_[p].type != samples_[i].type) children_[p] += 1;
    if (is_soma(i) && is_soma(p)) ++soma_children_[p];
  }
}

/// NeuroMorpho.org's soma of three samples is one sample to NEURON when its three diameters are
/// equal, nothing leaves from the outer two, and the length is within 1 % of the diameter.
void Import::find_three_point_soma() {
  int soma_samples = 0;
  for (int i = 0; i < size_; ++i) soma_samples += is_soma(i);
  if (soma_samples != 3 || up_[1] != 0 || up_[2] != 0) return;
  if (children_[1] != 0 || children_[2] != 0) return;
  const models::Point& middle = samples_[0].point;
  double length = 0;
  for (int i = 1; i <= 2; ++i) {
    const models::Point& outer = samples_[i].point;
    if (!equal_in_neuron(outer.diameter_um, middle.diameter_um)) return;
    length +=
        std::sqrt(std::pow(outer.x_um - middle.x_um, 2) + std::pow(outer.y_um - middle.y_um, 2) +
                  std::pow(outer.z_um - middle.z_um, 2));
  }
  const double off = std::abs(length / middle.diameter_um - 1);
  if (off >= .01 || equal_in_neuron(off, .01)) return;
  three_point_soma_ = true;
  up_[2] = 1;
}

/// Neurites that leave from within a run of soma samples do not cut it.
void Import::join_soma_runs() {
  for (int i = 0; i + 1 < size_; ++i)
    if (is_soma(i) && is_soma(i + 1) && up_[i + 1] == i && (i == 0 || soma_children_[i] <= 1))
      children_[i] = one;
}

Section Import::section(int index, int first, int end, const std::vector<Section>& before) const {
  Section section;
  section.first = first;
  section.end = end;
  const int own = end - first;
  if (index == 0) {
    section.point_count = three_point_soma_ ? 1 : own;
    return section;
  }
  section.point_count = own + 1;
  const int from = up_[first];
  section.parent = section_of_[from];
  const Section& parent = before[section.parent];
  const bool on_soma = is_soma(parent.first);
  const bool leaves_soma = on_soma && !is_soma(first);
  const bool at_soma_branching = soma_children_[from] > 1;

  if (section.parent == 0 && leaves_soma && parent.point_count == 1) {
    section.at = 0.5;
    section.from_own = own > 1;
  } else if (section.parent == 0 && from == 0) {
    section.at = 0;
    section.from_own = !is_soma(first) && at_soma_branching;
  } else if (on_soma) {
    const int last_of_parent = parent.first + parent.point_count - (parent.first == 0 ? 1 : 2);
    if (from < last_of_parent) {
      section.at = 0.5;
      section.from_own = leaves_soma && own > 1;
    } else {
      section.from_own = leaves_soma && own > 1 && at_soma_branching;
    }
  }
  if (joins_first_own_[first]) section.at = 0;
  return section;
}

std::vector<Section> Import::sections() {
  count_children();
  if (size_ >= 3) find_three_point_soma();
  join_soma_runs();
  std::vector<Section> all;
  section_of_.resize(size_);
  for (int first = 0; first < size_;) {
    int end = first;
    do section_of_[end] = static_cast<int>(all.size());
    while (children_[end++] == one && end < size_);
    all.push_back(section(static_cast<int>(all.size()), first, end, all));
    first = end;
  }
  return all;
}

std::vector<models::Point> points_of(const Section& section, const std::vector<Sample>& samples) {
  std::vector<models::Point> points;
  points.reserve(section.point_count);
  if (section.parent < 0) {
    for (int i = 0; i < section.point_count; ++i) points.push_back(samples[i].point);
    return points.size() == 1 ? cylinder_of(points[0]) : points;
  }
  const Sample& first = samples[section.first];
  const Sample& from = samples[first.parent];
  if (!section.from_own) points.push_back(from.point);
  for (int i = section.first; i < section.end; ++i) points.push_back(samples[i].point);
  return points;
}

/// Warns where NEURON's sections say something other than the file.
void warn_of_joins(const std::vector<Section>& sections, const std::vector<Sample>& samples,
                   const std::string& file, Diagnostics& diagnostics) {
  for (const Section& section : sections)
    for (int i = section.first + 1; i < section.end; ++i) {
      const bool strangers = samples[i].parent != i - 1;
      if (section.parent < 0 && i == 2 && strangers) continue;  // the three-sample soma
      if (!strangers && samples[i].type == samples[section.first].type) continue;
      diagnostics.warning(
          {file, samples[i].line, 0},
          strangers
              ? fmt::format("this sample continues the branch of the sample on line {}, which "
                            "is not its parent (NEURON 8 reads it so). Use soma: neuromorpho "
                            "or literal?",
                            samples[i - 1].line)
              : fmt::format("this sample of type {} is read as of type {} (NEURON 8 reads it "
                            "so). Use soma: neuromorpho or literal?",
                            samples[i].type, samples[section.first].type));
      return;  // one of a kind is enough
    }
}

}  // namespace

std::vector<Cable> cables_as_neuron8(const std::vector<Sample>& samples_read,
                                     const std::string& file, Diagnostics& diagnostics) {
  std::vector<Sample> samples = samples_read;
  for (Sample& sample : samples) sample.point = in_single_precision(sample.point);
  Import import(samples);
  const std::vector<Section> sections = import.sections();
  warn_of_joins(sections, samples, file, diagnostics);

  std::vector<Cable> cables;
  cables.reserve(sections.size());
  for (const Section& section : sections) {
    Cable cable;
    cable.type = samples[section.first].type;
    cable.parent = section.parent;
    cable.at = section.at;
    cable.line = samples[section.first].line;
    cable.points = points_of(section, samples);
    const bool leaves_soma = section.parent >= 0 && cable.type != soma_type &&
                             samples[sections[section.parent].first].type == soma_type;
    // A neurite that starts at the soma's sample does not start with the soma's diameter.
    if (leaves_soma && !section.from_own) cable.points[0].diameter_um = cable.points[1].diameter_um;
    cables.push_back(std::move(cable));
  }
  return sections_of(std::move(cables), file, diagnostics);
}

}  // namespace hillock::io::swc
