#include "simulator/command/page/page_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "core/errors/errors.hpp"
#include "core/program/whole_file.hpp"

namespace hillock::command {

void write_page(const std::string& file, const std::string& text) {
  const std::string fresh = file + ".new";
  const auto fail = [&](int why) {
    throw InputOutputError(file, std::string("cannot be written (") + std::strerror(why) + ")");
  };
  if (std::error_code none; std::filesystem::is_directory(file, none)) fail(EISDIR);
  const int opened =
      ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (opened < 0) fail(errno);
  int why = write_all(opened, text) ? 0 : errno;
  if (::close(opened) != 0 && why == 0) why = errno;
  if (why == 0 && std::rename(fresh.c_str(), file.c_str()) != 0) why = errno;
  if (why == 0) return;
  ::unlink(fresh.c_str());
  fail(why);
}

}  // namespace hillock::command
