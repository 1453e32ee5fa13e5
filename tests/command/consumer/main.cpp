// Prints the names of the catalogue's mechanisms.
#include <cstdio>

#include "mechanisms/catalogue.hpp"

int main() {
  for (const auto& mechanism : hillock::mechanisms::catalogue())
    std::printf("%s\n", mechanism.signature.name.c_str());
}
