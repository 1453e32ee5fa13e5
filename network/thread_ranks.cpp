#include "network/thread_ranks.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

namespace hillock::network {

namespace {

bool are_same(BytesView a, BytesView b) {
  return std::ranges::equal(a, b);
}

/// Where threads meet: every gather or sum is a round, which all take from when all have given.
/// What is given or sent is copied, so that a rank may end while others read.
class Meeting {
 public:
  explicit Meeting(int count) : changed_(static_cast<std::size_t>(count)) {}

  int count() const { return static_cast<int>(changed_.size()); }

  void give(int rank, std::uint64_t round, BytesView own) {
    const std::lock_guard lock(mutex_);
    Round& now = rounds_[round];
    now.given.resize(changed_.size());
    now.given[static_cast<std::size_t>(rank)].assign(own.begin(), own.end());
    if (++now.there == count()) wake_all();
  }
  /// Calls use(what all gave) when all have.
  void take(int rank, std::uint64_t round,
            const std::function<void(const std::vector<Bytes>&)>& use) {
    std::unique_lock lock(mutex_);
    const Round& now = rounds_[round];
    wait(lock, rank, [&] { return now.there == count(); });
    lock.unlock();
    use(now.given);
    lock.lock();
    if (++rounds_[round].taken == count()) rounds_.erase(round);
  }

  void send(int from, int to, Channel channel, BytesView message) {
    const std::lock_guard lock(mutex_);
    messages_[{from, to, channel}].emplace_back(message.begin(), message.end());
    ++on_their_way_[{from, channel}];
    ++traffic_.messages;
    traffic_.bytes += message.size();
    wake(to);
  }
  Bytes receive(int from, int to, Channel channel) {
    std::unique_lock lock(mutex_);
    std::deque<Bytes>& some = messages_[{from, to, channel}];
    wait(lock, to, [&] { return !some.empty(); });
    Bytes message = std::move(some.front());
    some.pop_front();
    if (--on_their_way_[{from, channel}] == 0) wake(from);
    return message;
  }
  void wait_for_receivers(int from, Channel channel) {
    std::unique_lock lock(mutex_);
    const int& sent = on_their_way_[{from, channel}];
    wait(lock, from, [&] { return sent == 0; });
  }

  void count_gather(int rank, std::size_t bytes_of_others) {
    const std::lock_guard lock(mutex_);
    if (rank == 0) ++traffic_.gathers;
    traffic_.bytes += bytes_of_others;
  }
  void count_sum(int rank) {
    const std::lock_guard lock(mutex_);
    if (rank == 0) ++traffic_.sums;
  }

  void abandon(std::exception_ptr why) {
    const std::lock_guard lock(mutex_);
    if (!why_) why_ = std::move(why);
    wake_all();
  }
  /// When all threads have ended.
  Traffic end() const {
    if (why_) std::rethrow_exception(why_);
    return traffic_;
  }

 private:
  struct Round {
    std::vector<Bytes> given;  ///< [rank]
    int there = 0, taken = 0;
  };

  void wake(int rank) { changed_[static_cast<std::size_t>(rank)].notify_all(); }
  void wake_all() {
    for (std::condition_variable& changed : changed_) changed.notify_all();
  }
  template <class IsThere>
  void wait(std::unique_lock<std::mutex>& lock, int rank, const IsThere& is_there) {
    changed_[static_cast<std::size_t>(rank)].wait(lock, [&] { return why_ || is_there(); });
    if (why_) throw RankAbandoned();
  }

  std::mutex mutex_;
  std::deque<std::condition_variable> changed_;  ///< [rank] that waits
  std::map<std::uint64_t, Round> rounds_;
  std::map<std::tuple<int, int, Channel>, std::deque<Bytes>> messages_;
  std::map<std::pair<int, Channel>, int> on_their_way_;
  std::exception_ptr why_;
  Traffic traffic_;
};

class ThreadRank final : public Ranks {
 public:
  ThreadRank(Meeting& meeting, int number) : meeting_(meeting), number_(number) {}

  int number() const override { return number_; }
  int count() const override { return meeting_.count(); }
  int first_on_host() const override { return 0; }

  void begin_all_gather(BytesView own, std::span<std::byte> all) override {
    if (all.size() != own.size() * static_cast<std::size_t>(count()))
      throw std::logic_error("a gather has another size than its parts");
    gather_ = begin(gather_, own);
    gathered_ = all;
    meeting_.count_gather(number_, all.size() - own.size());
  }
  void finish_all_gather() override { take_gather(finish(gather_), gathered_); }
  void all_gather(BytesView own, std::span<const std::size_t> sizes,
                  std::span<std::byte> all) override {
    if (sizes[static_cast<std::size_t>(number_)] != own.size())
      throw std::logic_error("a rank gives another number of bytes than it said");
    meeting_.count_gather(number_, all.size() - own.size());
    take_gather(begin({}, own), all);
  }

  void begin_sum(std::span<const std::uint64_t> own, std::span<std::uint64_t> sums) override {
    sum_ = begin(sum_, std::as_bytes(own));
    sums_ = sums;
    meeting_.count_sum(number_);
  }
  void finish_sum() override { take_sum(finish(sum_), sums_); }
  void sum(std::span<const std::uint64_t> own, std::span<std::uint64_t> sums) override {
    meeting_.count_sum(number_);
    take_sum(begin({}, std::as_bytes(own)), sums);
  }

  void send(int to, Channel channel, BytesView message) override {
    sent_[channel].push_back({message, Bytes(message.begin(), message.end())});
    meeting_.send(number_, to, channel, message);
  }
  Bytes receive(int from, Channel channel) override {
    return meeting_.receive(from, number_, channel);
  }
  void finish_sends(Channel channel) override {
    meeting_.wait_for_receivers(number_, channel);
    for (const Sent& sent : sent_[channel])
      if (!are_same(sent.message, sent.copy))
        throw std::logic_error("a message changed before it was sent");
    sent_[channel].clear();
  }

  [[noreturn]] void abort(int exit_code) override {
    throw std::runtime_error("a rank ends all with exit code " + std::to_string(exit_code));
  }

 private:
  struct Begun {
    std::uint64_t round = 0;  ///< 0: none
    BytesView own;
  };
  struct Sent {
    BytesView message;
    Bytes copy;
  };

  Begun begin(const Begun& before, BytesView own) {
    if (before.round != 0) throw std::logic_error("what ranks do together began twice");
    meeting_.give(number_, ++round_, own);
    return {round_, own};
  }
  static Begun finish(Begun& begun) {
    if (begun.round == 0) throw std::logic_error("what ranks do together has not begun");
    return std::exchange(begun, {});
  }
  void take(const Begun& begun, const std::function<void(BytesView)>& use) {
    meeting_.take(number_, begun.round, [&](const std::vector<Bytes>& given) {
      if (!are_same(given[static_cast<std::size_t>(number_)], begun.own))
        throw std::logic_error("what a rank gives changed before all had it");
      for (const Bytes& some : given) use(some);
    });
  }
  void take_gather(const Begun& begun, std::span<std::byte> all) {
    take(begun, [&all](BytesView some) {
      if (some.size() > all.size())
        throw std::logic_error("a rank gives another number of bytes than others expect");
      std::ranges::copy(some, all.begin());
      all = all.subspan(some.size());
    });
  }
  void take_sum(const Begun& begun, std::span<std::uint64_t> sums) {
    std::ranges::fill(sums, 0);
    take(begun, [sums](BytesView some) {
      if (some.size() != sums.size_bytes())
        throw std::logic_error("a rank adds another number of numbers than others");
      const auto* numbers = reinterpret_cast<const std::uint64_t*>(some.data());
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += numbers[i];
    });
  }

  Meeting& meeting_;
  int number_;
  std::uint64_t round_ = 0;
  Begun gather_, sum_;
  std::span<std::byte> gathered_;
  std::span<std::uint64_t> sums_;
  std::map<Channel, std::vector<Sent>> sent_;
};

}  // namespace

Traffic run_ranks(int count, const std::function<void(Ranks&)>& body) {
  Meeting meeting(count);
  std::vector<std::jthread> threads;
  try {
    for (int rank = 0; rank < count; ++rank)
      threads.emplace_back([&, rank] {
        try {
          ThreadRank own(meeting, rank);
          body(own);
        } catch (const RankAbandoned&) {  // another one says why
        } catch (...) {
          meeting.abandon(std::current_exception());
        }
      });
  } catch (...) {  // no thread was to be had
    meeting.abandon(std::current_exception());
  }
  threads.clear();  // waits for them
  return meeting.end();
}

}  // namespace hillock::network
