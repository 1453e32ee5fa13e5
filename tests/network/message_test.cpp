// Lists in a message come back as they were put, and a message that is cut off is no message.

#include "network/message.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "network/spikes.hpp"

namespace hillock::network {
namespace {

Bytes some_lists() {
  Bytes bytes{std::byte{1}};  // forgotten by the writer
  MessageWriter to(bytes);
  to.put(std::vector<std::uint8_t>{1, 2, 3});
  to.put(std::vector<double>{});
  to.put(std::vector<CellSpike>{{0.5, CellId(7)}, {1.5, CellId(9)}});  // unaligned
  return bytes;
}

void read(BytesView bytes) {
  MessageReader from(bytes);
  EXPECT_EQ(from.take<std::uint8_t>(), (std::vector<std::uint8_t>{1, 2, 3}));
  EXPECT_TRUE(from.take<double>().empty());
  EXPECT_EQ(from.take<CellSpike>(), (std::vector<CellSpike>{{0.5, CellId(7)}, {1.5, CellId(9)}}));
  EXPECT_TRUE(from.is_at_end());
}

TEST(Message, ComesBackAsItWasPut) {
  read(some_lists());
}

TEST(Message, ThatIsCutOffAnywhereThrows) {
  const Bytes bytes = some_lists();
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(read(BytesView(bytes).first(size)), std::runtime_error) << size;
}

TEST(Message, WithMoreThanThereIsThrows) {
  for (const std::uint64_t count :
       {std::uint64_t{2}, std::uint64_t{1} << 61, std::numeric_limits<std::uint64_t>::max()}) {
    Bytes bytes;
    MessageWriter(bytes).put(std::vector<double>{1});
    std::memcpy(bytes.data(), &count, sizeof count);
    EXPECT_THROW(MessageReader(bytes).take<double>(), std::runtime_error) << count;
  }
}

TEST(Message, OfNothingHasNoList) {
  EXPECT_TRUE(MessageReader({}).is_at_end());
  EXPECT_THROW(MessageReader({}).take<double>(), std::runtime_error);
}

}  // namespace
}  // namespace hillock::network
