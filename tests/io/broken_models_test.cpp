// Every model of tests/io/broken has exactly the errors that expected.txt lists for it: place and
// words, all of them and no more. A line reads "file.yaml:line:column: error: message".

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "io/model/model_reader.hpp"
#include "tests/io/model_text.hpp"

namespace hillock::io {
namespace {

const std::filesystem::path folder = std::filesystem::path(HILLOCK_TEST_DIR) / "broken";

/// The folder's name taken out of a message, so that it reads the same on every machine.
std::string without_folder(std::string text) {
  const std::string prefix = folder.string() + '/';
  for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at))
    text.erase(at, prefix.size());
  return text;
}

std::vector<std::string> errors_of(const std::string& model) {
  Diagnostics diagnostics;
  ReadOptions options;
  options.check_mechanism = test_check();
  options.column_reader = HILLOCK_COLUMN_READER;
  read_model(folder / model, test_signatures(), options, diagnostics);
  std::vector<std::string> errors;
  for (const auto& diagnostic : diagnostics.all())
    if (diagnostic.severity == Severity::error)
      errors.push_back(without_folder(to_string(diagnostic)));
  return errors;
}

/// The expected lines of each model: those below "== model.yaml".
std::map<std::string, std::vector<std::string>> expected_errors() {
  std::map<std::string, std::vector<std::string>> expected;
  std::ifstream file(folder / "expected.txt");
  std::string model;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("== "))
      expected[model = line.substr(3)];
    else if (!line.empty() && line[0] != '#')
      expected[model].push_back(line);
  }
  return expected;
}

std::vector<std::string> broken_models() {
  std::vector<std::string> models;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".yaml") models.push_back(entry.path().filename().string());
  std::sort(models.begin(), models.end());
  return models;
}

class BrokenModel : public testing::TestWithParam<std::string> {};

TEST_P(BrokenModel, HasTheErrorsExpectedOfIt) {
  static const auto expected = expected_errors();
  const auto found = expected.find(GetParam());
  ASSERT_NE(found, expected.end()) << "expected.txt does not list " << GetParam();
  EXPECT_EQ(errors_of(GetParam()), found->second);
}

INSTANTIATE_TEST_SUITE_P(All, BrokenModel, testing::ValuesIn(broken_models()),
                         [](const auto& test) {
                           return test.param.substr(0, test.param.find('.'));
                         });

TEST(BrokenModels, AreAtLeastEighty) {
  EXPECT_GE(broken_models().size(), 80U);
}

TEST(BrokenModels, EveryExpectationHasItsModel) {
  for (const auto& [model, lines] : expected_errors()) {
    EXPECT_TRUE(std::filesystem::exists(folder / model)) << model;
    EXPECT_FALSE(lines.empty()) << model << " is expected to have no error";
  }
}

}  // namespace
}  // namespace hillock::io
