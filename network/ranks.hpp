#pragma once
// The processes that simulate one network together, and what they say to one another. Header only:
// what implements it with MPI is a library that is loaded when there are several (network/mpi).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hillock::network {

using Bytes = std::vector<std::byte>;
using BytesView = std::span<const std::byte>;

/// Messages of one kind come in the order in which they were sent.
enum class Channel : int { spikes = 1, output = 2, state = 3, voltages = 4, rows = 5 };

/// What all ranks do together is called by all of them, in the same order, each on one thread at a
/// time, the same all along. A rank that ends takes the others with it.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int number() const = 0;  ///< of this rank, from 0
  virtual int count() const = 0;
  /// Of the ranks of this machine the first, by its number among all.
  virtual int first_on_host() const = 0;

  /// Begins to give all ranks as many bytes of each, in the order of ranks. Both stay where they
  /// are until finish_all_gather(), before which no other gather begins.
  virtual void begin_all_gather(BytesView own, std::span<std::byte> all) = 0;
  virtual void finish_all_gather() = 0;
  /// The same of sizes[rank] bytes of each rank, at once; a sum may have begun.
  virtual void all_gather(BytesView own, std::span<const std::size_t> sizes,
                          std::span<std::byte> all) = 0;
  /// Begins to add up numbers of all ranks, each in its place. As begin_all_gather().
  virtual void begin_sum(std::span<const std::uint64_t> own, std::span<std::uint64_t> sums) = 0;
  virtual void finish_sum() = 0;
  /// The same at once, also while a gather or a sum has begun.
  virtual void sum(std::span<const std::uint64_t> own, std::span<std::uint64_t> sums) = 0;

  /// Begins to send a message, which stays where it is until finish_sends() of that channel.
  virtual void send(int to, Channel channel, BytesView message) = 0;
  /// The next message of that rank; waits for it.
  virtual Bytes receive(int from, Channel channel) = 0;
  /// Waits until the messages of a channel are on their way, which may be when they are received:
  /// so nobody waits here for a rank that waits for him.
  virtual void finish_sends(Channel channel) = 0;

  /// Ends the processes of all ranks at once, with an exit code. For a failure that the others
  /// cannot be told of.
  [[noreturn]] virtual void abort(int exit_code) = 0;
};

/// What the library of ranks must have: joins the others. Null, with a text of what is wrong, when
/// that fails. The ranks leave one another when they are destroyed, but where they were together
/// before: a process that has begun with MPI itself ends it, too.
using JoinRanks = Ranks* (*)(const char** problem);
inline constexpr const char* join_ranks_name = "hillock_join_ranks";

}  // namespace hillock::network
