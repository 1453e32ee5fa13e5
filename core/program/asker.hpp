#pragma once
// Who asks for memory, to be named where it runs out.

#include <array>
#include <cstddef>
#include <new>
#include <string_view>

namespace hillock {

/// What takes less memory when there is less of it.
enum class Asked { anything, cells, connections, spikes, record };

/// While one lives, the thread that made it asks for memory for this: "projection", "exc->inh";
/// what is the only one of its kind needs no name. Of several it is the one that was made last.
/// Texts must outlive it.
class Asker {
 public:
  Asker(Asked asked, std::string_view kind, std::string_view name = {})
      : asked_(asked), kind_(kind), name_(name), before_(own()) {
    own() = this;
  }
  /// A thread that works for another asks for what that one does.
  explicit Asker(const Asker* other)
      : Asker(other ? other->asked_ : Asked::anything, other ? other->kind_ : "",
              other ? other->name_ : "") {}
  ~Asker() { own() = before_; }
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;

  /// The calling thread's; null where there is none.
  static const Asker* now() { return own(); }

  Asked asked() const { return asked_; }
  std::string_view kind() const { return kind_; }
  std::string_view name() const { return name_; }

 private:
  static const Asker*& own() {
    static thread_local const Asker* asker = nullptr;
    return asker;
  }

  Asked asked_;
  std::string_view kind_, name_;
  const Asker* before_;
};

/// A request for memory that was refused.
class Refused : public std::bad_alloc {
 public:
  /// Asks for nothing itself.
  explicit Refused(std::size_t bytes) noexcept : bytes_(bytes) {
    const Asker* const asker = Asker::now();
    if (!asker || asker->kind().empty()) return;
    asked_ = asker->asked();
    put(asker->kind());
    if (asker->name().empty()) return;
    put(" '");
    put(asker->name());
    put("'");
  }

  std::size_t bytes() const { return bytes_; }
  Asked asked() const { return asked_; }
  /// "projection 'exc->inh'"; empty where nobody said so. A long name is cut.
  std::string_view who() const { return {who_.data(), length_}; }

 private:
  void put(std::string_view text) {
    const std::size_t count = text.copy(who_.data() + length_, who_.size() - length_);
    length_ += count;
  }

  std::size_t bytes_;
  Asked asked_ = Asked::anything;
  std::array<char, 120> who_{};
  std::size_t length_ = 0;
};

}  // namespace hillock
