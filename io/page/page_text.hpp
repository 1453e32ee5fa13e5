#pragma once
// A page as one file of HTML that needs nothing else: its style, its script, its data. What is in
// the data stays data, whatever names and texts of others are in it, and a page asks for nothing
// from anywhere.

#include <span>
#include <string>
#include <string_view>

#include "io/json/json.hpp"
#include "io/page/blobs.hpp"

namespace hillock::io::page {

/// A file of io/page/assets, as the build embeds it.
struct PageAsset {
  const char* name;
  const char* text;
};

std::span<const PageAsset> page_assets();

/// Lines of a text as a page shows them; of a long one the first 300 kB, and how much there is
/// more.
std::string shown_lines(std::string_view text);

/// title: any text. scripts: names of assets, in the order in which they run. data: what the
/// scripts find as `data`, with numbers of blobs in it.
std::string page_text(std::string_view title, std::span<const char* const> scripts,
                      const Json& data, const Blobs& blobs);

}  // namespace hillock::io::page
