#pragma once
// The constants of cost_model.cpp, in microseconds, compartments and GB/s; what each stands for is
// said there. Printed by bench/fit_cost_model.py: not for editing.

#include <array>

namespace hillock::solver {

using Constants = std::array<double, 8>;

struct Measured {
  Constants double_launch, double_resident, float_launch, float_resident;
};

inline constexpr Measured thomas_measured{
    {5.479, 0.002517, 4019, 0.1531, 1638},
    {2.825, 0.002032, 4398, 0.1525, 1637},
    {5.658, 0.0005197, 4061, 0.1202, 1177},
    {2.89, 0.0007065, 4296, 0.1198, 1178},
};
inline constexpr Measured hines_measured{
    {6.235, 0.1035, 46.61, 4334},
    {1.641, 0.1036, 48.09, 4204},
    {6.06, 0.09523, 40.91, 4174},
    {1.618, 0.09515, 38.47, 4180},
};
inline constexpr Measured branch_measured{
    {6.651, 0.9772, 0.06921, 0.9682, 0.00307, 1.739, 0.006452, 0.004071},
    {0.1053, 0.534, 0.04342, 1.09, 0.0004413, 3.004, 0.005961, 0.01055},
    {6.457, 1.107, 0.05709, 1.063, 0.001419, 1.398, 0.004203, 0.00261},
    {6.144e-06, 0.5641, 0.03459, 1.355, 0.0001441, 2.555, 0.003894, 0.007863},
};
inline constexpr Measured stone_measured{
    {7.654, 0.4703, 0.0447, 0.02603, 0.5113, 0.03312, 0.0173},
    {0.7311, 0.3683, 0.03809, 0.07762, 0.571, 0.04321, 0.009762},
    {7.808, 0.5348, 0.04739, 6.144e-06, 0.2634, 0.03197, 0.01658},
    {1.452, 0.3495, 0.03783, 0.008727, 0.2955, 0.03805, 0.01072},
};
inline constexpr Measured contraction_measured{
    {7.19, 0.1284, 0.00166, 0.003194, 1.041, 0.01436, 0.004788},
    {0.6731, 0.1597, 0.001235, 0.002537, 1.113, 0.01131, 0.004108},
    {7.616, 0.05691, 0.001502, 0.002597, 0.7933, 0.007949, 0.004042},
    {0.9495, 0.1396, 0.0009354, 0.00216, 0.8499, 0.006769, 0.00337},
};

}  // namespace hillock::solver
