// No header of its own: the instances that device.hpp promises, for the file that defines them.

#define HILLOCK_INSTANTIATE(Real)                                                               \
  template void sweep_on_device<Real>(const Arrangement&, Real*, Stream);                       \
  template WarpPlan plan_warps<Real>(const Arrangement&, Split);                                \
  template void solve_on_device<Real>(const WarpPlan&, Real*, Stream);                          \
  template void convert_on_device<Real>(const Arrangement&, const Real*, const Arrangement&,    \
                                        Real*, Stream);                                         \
  template void sweep_on_device<Real>(const DeviceSlots&, Real*, Padding, Stream);              \
  template void warp_on_device<Real>(const DeviceSlots&, Real*, Stream);                        \
  template void convert_on_device<Real>(const DeviceSlots&, const Real*, const DeviceSlots&,    \
                                        Real*, Stream);                                         \
  template void solve_through_device<Real>(const Arrangement&, Kernel, Split, std::span<Real>); \
  template void solve_through_device<Real>(const VariableArrangement&, Kernel, Padding,         \
                                           std::span<Real>);                                    \
  template void convert_through_device<Real>(const Arrangement&, std::span<const Real>,         \
                                             const Arrangement&, std::span<Real>);              \
  template void convert_through_device<Real>(const VariableArrangement&, std::span<const Real>, \
                                             const VariableArrangement&, std::span<Real>);
HILLOCK_INSTANTIATE(float)
HILLOCK_INSTANTIATE(double)
#undef HILLOCK_INSTANTIATE
