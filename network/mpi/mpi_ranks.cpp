// Ranks that are processes of MPI: libhillock-mpi-openmpi.so and its like, loaded under mpirun.

#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <thread>
#include <vector>

#include "network/mpi/shared_gather.hpp"
#include "network/ranks.hpp"

namespace hillock::network {

namespace {

/// MPI counts in int. A message ends with the first piece that is shorter.
constexpr std::size_t piece_bytes = std::size_t{1} << 30;

/// Waits until is_so(&flag) sets its flag. Not all MPIs yield, and who is waited for may want the
/// core: where there are more ranks than cores MPICH took ten times as long.
template <class IsSo>
void wait_until(const IsSo& is_so) {
  constexpr int looks = 1000;
  for (int k = 0, flag = 0;; ++k) {
    is_so(&flag);
    if (flag != 0) return;
    if (k >= looks) std::this_thread::yield();
  }
}

class MpiRanks final : public Ranks {
 public:
  /// ends: MPI with the last of them.
  explicit MpiRanks(bool ends) : ends_(ends) {
    if (!ends) MPI_Comm_dup(MPI_COMM_WORLD, &all_);
    MPI_Comm_rank(all_, &number_);
    MPI_Comm_size(all_, &count_);
    MPI_Comm host = MPI_COMM_NULL;
    MPI_Comm_split_type(all_, MPI_COMM_TYPE_SHARED, number_, MPI_INFO_NULL, &host);
    MPI_Allreduce(&number_, &first_on_host_, 1, MPI_INT, MPI_MIN, host);
    int here = 0;
    MPI_Comm_size(host, &here);
    if (here == count_ && count_ > 1) on_host_.emplace(host);
    MPI_Comm_free(&host);
  }
  ~MpiRanks() override {
    for (auto& [channel, requests] : sends_) wait_for(requests);
    if (!ends_) return;
    if (on_host_) on_host_->free();
    MPI_Finalize();
  }

  int number() const override { return number_; }
  int count() const override { return count_; }
  int first_on_host() const override { return first_on_host_; }

  void begin_all_gather(BytesView own, std::span<std::byte> all) override {
    is_shared_ = on_host_ && on_host_->takes(own.size());
    if (is_shared_) return on_host_->begin(own, all);
    if (own.size() * static_cast<std::size_t>(count_) <= piece_bytes) {
      MPI_Iallgather(own.data(), int_of(own.size()), MPI_BYTE, all.data(), int_of(own.size()),
                     MPI_BYTE, all_, &together_);
      return;
    }
    const std::vector<std::size_t> sizes(static_cast<std::size_t>(count_), own.size());
    all_gather(own, sizes, all);
  }
  void finish_all_gather() override {
    if (!is_shared_) return wait_for(together_);
    int looks = 0;
    wait_until([&](int* is_over) {
      *is_over = on_host_->is_over() ? 1 : 0;
      if (++looks % 64 == 0) carry_on();
    });
  }

  void all_gather(BytesView own, std::span<const std::size_t> sizes,
                  std::span<std::byte> all) override {
    if (all.size() <= piece_bytes) {
      std::vector<int> counts, places;
      int place = 0;
      for (const std::size_t size : sizes) {
        counts.push_back(int_of(size));
        places.push_back(place);
        place += counts.back();
      }
      MPI_Allgatherv(own.data(), int_of(own.size()), MPI_BYTE, all.data(), counts.data(),
                     places.data(), MPI_BYTE, all_);
      return;
    }
    for (int rank = 0; rank < count_; ++rank) {
      const std::span<std::byte> part = all.first(sizes[static_cast<std::size_t>(rank)]);
      all = all.subspan(part.size());
      if (rank == number_) std::ranges::copy(own, part.begin());
      for (std::size_t at = 0; at < part.size(); at += piece_bytes)
        MPI_Bcast(part.data() + at, int_of(std::min(piece_bytes, part.size() - at)), MPI_BYTE, rank,
                  all_);
    }
  }

  void begin_sum(std::span<const std::uint64_t> own, std::span<std::uint64_t> sums) override {
    MPI_Iallreduce(own.data(), sums.data(), int_of(own.size()), MPI_UINT64_T, MPI_SUM, all_, &sum_);
  }
  void finish_sum() override { wait_for(sum_); }
  void sum(std::span<const std::uint64_t> own, std::span<std::uint64_t> sums) override {
    MPI_Allreduce(own.data(), sums.data(), int_of(own.size()), MPI_UINT64_T, MPI_SUM, all_);
  }

  void send(int to, Channel channel, BytesView message) override {
    std::size_t size = 0;
    do {
      size = std::min(piece_bytes, message.size());
      MPI_Isend(message.data(), int_of(size), MPI_BYTE, to, static_cast<int>(channel), all_,
                &sends_[channel].emplace_back());
      message = message.subspan(size);
    } while (size == piece_bytes);
  }

  Bytes receive(int from, Channel channel) override {
    Bytes message;
    std::size_t size = 0;
    do {
      MPI_Message piece = MPI_MESSAGE_NULL;
      MPI_Status status;
      int bytes = 0;
      wait_until([&](int* is_here) {
        MPI_Improbe(from, static_cast<int>(channel), all_, is_here, &piece, &status);
      });
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      size = static_cast<std::size_t>(bytes);
      message.resize(message.size() + size);
      MPI_Mrecv(message.data() + (message.size() - size), bytes, MPI_BYTE, &piece,
                MPI_STATUS_IGNORE);
    } while (size == piece_bytes);
    return message;
  }

  void finish_sends(Channel channel) override { wait_for(sends_[channel]); }

  [[noreturn]] void abort(int exit_code) override {
    MPI_Abort(all_, exit_code);
    std::_Exit(exit_code);
  }

 private:
  static void wait_for(MPI_Request& request) {
    wait_until([&](int* is_over) { MPI_Test(&request, is_over, MPI_STATUS_IGNORE); });
  }
  static void wait_for(std::vector<MPI_Request>& requests) {
    wait_until([&](int* are_over) {
      MPI_Testall(int_of(requests.size()), requests.data(), are_over, MPI_STATUSES_IGNORE);
    });
    requests.clear();
  }
  /// So that MPI carries what was sent to those that wait for it.
  void carry_on() const {
    int is_here = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, all_, &is_here, MPI_STATUS_IGNORE);
  }
  static int int_of(std::size_t size) { return static_cast<int>(size); }

  bool ends_;
  MPI_Comm all_ = MPI_COMM_WORLD;  ///< of its own where others speak, too
  int number_ = 0, count_ = 1, first_on_host_ = 0;
  std::optional<SharedGather> on_host_;  ///< where all ranks are on one
  bool is_shared_ = false;               ///< the gather that has begun
  MPI_Request together_ = MPI_REQUEST_NULL, sum_ = MPI_REQUEST_NULL;
  std::map<Channel, std::vector<MPI_Request>> sends_;
};

}  // namespace

}  // namespace hillock::network

/// JoinRanks.
extern "C" hillock::network::Ranks* hillock_join_ranks(const char** problem) {
  int provided = MPI_THREAD_SINGLE, has_begun = 0;
  MPI_Initialized(&has_begun);
  // Failures of MPI end all processes: MPI_ERRORS_ARE_FATAL is what it begins with.
  if (has_begun)
    MPI_Query_thread(&provided);
  else
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  // Where somebody else has begun with MPI, another thread than his speaks to it now and then.
  const int needed = has_begun ? MPI_THREAD_SERIALIZED : MPI_THREAD_FUNNELED;
  if (provided < needed) {
    *problem = has_begun ? "this process's MPI allows only one thread (MPI_THREAD_SERIALIZED)"
                         : "this MPI allows no threads beside it (MPI_THREAD_FUNNELED)";
    return nullptr;
  }
  return new hillock::network::MpiRanks(!has_begun);
}
