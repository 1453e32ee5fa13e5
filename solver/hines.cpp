#include "solver/hines.hpp"

namespace hillock::solver::inline HILLOCK_ISA {

template void hines_solve<double>(const Tree&, double*, double*);
template void hines_solve<Pack4>(const Tree&, double*, double*);
template void hines_solve<Pack8>(const Tree&, double*, double*);

}  // namespace hillock::solver::inline HILLOCK_ISA
