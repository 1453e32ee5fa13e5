#include "core/text/sha256.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <stdexcept>

namespace hillock {

namespace {

void check_hash(int result) {
  if (result != 1) throw std::runtime_error("SHA-256 is not available in this OpenSSL");
}

}  // namespace

using Context = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

struct Sha256::Impl {
  Context context{EVP_MD_CTX_new(), EVP_MD_CTX_free};
};

Sha256::Sha256() : impl_(std::make_unique<Impl>()) {
  check_hash(EVP_DigestInit_ex(impl_->context.get(), EVP_sha256(), nullptr));
}
Sha256::Sha256(const Sha256& other) : impl_(std::make_unique<Impl>()) {
  check_hash(EVP_MD_CTX_copy_ex(impl_->context.get(), other.impl_->context.get()));
}
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;
Sha256::~Sha256() = default;

void Sha256::add(std::span<const std::byte> bytes) {
  check_hash(EVP_DigestUpdate(impl_->context.get(), bytes.data(), bytes.size()));
}

std::string Sha256::digits() const {
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned size = 0;
  const Sha256 ended(*this);
  check_hash(EVP_DigestFinal_ex(ended.impl_->context.get(), hash.data(), &size));
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", hash[i]);
  return text;
}

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(std::as_bytes(std::span(bytes)));
  return hash.digits();
}

}  // namespace hillock
