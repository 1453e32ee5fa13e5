#include "network/thread_ranks.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <tuple>

namespace hillock::network {

namespace {

/// Where threads meet: every gather or sum is a round, which is over when all have given theirs.
class Meeting {
 public:
  explicit Meeting(int count) : count_(count) {}

  /// What one rank gives, until take() of the same round.
  void give(std::uint64_t round, BytesView own) {
    const std::lock_guard lock(mutex_);
    Round& now = rounds_[round];
    now.given.resize(static_cast<std::size_t>(count_));
    now.given[static_cast<std::size_t>(number_here())] = own;
    ++now.there;
    changed_.notify_all();
  }
  /// Calls use(what all gave) when all have, and returns when all have used it.
  void take(std::uint64_t round, const std::function<void(std::span<const BytesView>)>& use) {
    std::unique_lock lock(mutex_);
    wait(lock, [&] { return rounds_[round].there == count_; });
    const std::vector<BytesView>& given = rounds_[round].given;
    lock.unlock();
    use(given);
    lock.lock();
    ++rounds_[round].used;
    changed_.notify_all();
    wait(lock, [&] { return is_over(round); });
    rounds_.erase(round);
  }

  void send(int from, int to, Channel channel, BytesView message) {
    const std::lock_guard lock(mutex_);
    messages_[{from, to, channel}].emplace_back(message.begin(), message.end());
    ++traffic.messages;
    traffic.bytes += message.size();
    changed_.notify_all();
  }
  Bytes receive(int from, int to, Channel channel) {
    std::unique_lock lock(mutex_);
    std::deque<Bytes>& some = messages_[{from, to, channel}];
    wait(lock, [&] { return !some.empty(); });
    Bytes message = std::move(some.front());
    some.pop_front();
    return message;
  }

  void abandon(std::exception_ptr why) {
    const std::lock_guard lock(mutex_);
    if (!why_) why_ = std::move(why);
    is_abandoned_ = true;
    changed_.notify_all();
  }
  std::exception_ptr why() const { return why_; }
  int count() const { return count_; }

  static int& number_here() {
    thread_local int number = 0;
    return number;
  }

  Traffic traffic;  ///< added to under `mutex_` or by rank 0 alone

 private:
  struct Round {
    std::vector<BytesView> given;
    int there = 0, used = 0;
  };

  bool is_over(std::uint64_t round) {
    const auto known = rounds_.find(round);
    return known == rounds_.end() || known->second.used == count_;
  }
  void wait(std::unique_lock<std::mutex>& lock, const std::function<bool()>& is_there) {
    changed_.wait(lock, [&] { return is_abandoned_ || is_there(); });
    if (is_abandoned_) throw RankAbandoned();
  }

  int count_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, Round> rounds_;
  std::map<std::tuple<int, int, Channel>, std::deque<Bytes>> messages_;
  bool is_abandoned_ = false;
  std::exception_ptr why_;
};

class ThreadRank final : public Ranks {
 public:
  ThreadRank(Meeting& meeting, int number) : meeting_(meeting), number_(number) {
    Meeting::number_here() = number;
  }

  int number() const override { return number_; }
  int count() const override { return meeting_.count(); }
  int first_on_host() const override { return 0; }

  void begin_all_gather(BytesView own, std::span<std::byte> all) override {
    if (all.size() != own.size() * static_cast<std::size_t>(count()))
      throw std::logic_error("a gather has another size than its parts");
    all_ = all;
    count_gather(all.size() - own.size());
    meeting_.give(gather_round_ = ++round_, own);
  }
  void finish_all_gather() override {
    std::span<std::byte> to = all_;
    meeting_.take(gather_round_, [&](std::span<const BytesView> given) {
      for (const BytesView some : given) {
        std::ranges::copy(some, to.begin());
        to = to.subspan(some.size());
      }
    });
  }
  void all_gather(BytesView own, std::span<const std::size_t> sizes,
                  std::span<std::byte> all) override {
    if (sizes[static_cast<std::size_t>(number_)] != own.size())
      throw std::logic_error("a rank gives another number of bytes than it said");
    count_gather(all.size() - own.size());
    meeting_.give(gather_round_ = ++round_, own);
    all_ = all;
    finish_all_gather();
  }
  void begin_sum(std::span<const std::uint64_t> own, std::span<std::uint64_t> sums) override {
    sums_ = sums;
    if (number_ == 0) ++meeting_.traffic.sums;
    meeting_.give(sum_round_ = ++round_, std::as_bytes(own));
  }
  void finish_sum() override {
    meeting_.take(sum_round_, [&](std::span<const BytesView> given) {
      std::ranges::fill(sums_, 0);
      for (const BytesView some : given) {
        const auto* numbers = reinterpret_cast<const std::uint64_t*>(some.data());
        for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += numbers[i];
      }
    });
  }

  void send(int to, Channel channel, BytesView message) override {
    meeting_.send(number_, to, channel, message);
  }
  Bytes receive(int from, Channel channel) override {
    return meeting_.receive(from, number_, channel);
  }
  void finish_sends() override {}

  [[noreturn]] void abort(int exit_code) override {
    throw std::runtime_error("a rank ends all with exit code " + std::to_string(exit_code));
  }

 private:
  void count_gather(std::size_t bytes_of_others) {
    if (number_ != 0) return;  // all ranks get about as much
    ++meeting_.traffic.gathers;
    meeting_.traffic.bytes += bytes_of_others * static_cast<std::size_t>(count());
  }

  Meeting& meeting_;
  int number_;
  std::uint64_t round_ = 0, gather_round_ = 0, sum_round_ = 0;
  std::span<std::byte> all_;
  std::span<std::uint64_t> sums_;
};

}  // namespace

Traffic run_ranks(int count, const std::function<void(Ranks&)>& body) {
  Meeting meeting(count);
  std::vector<std::thread> threads;
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
  for (std::thread& thread : threads) thread.join();
  if (meeting.why()) std::rethrow_exception(meeting.why());
  return meeting.traffic;
}

}  // namespace hillock::network
