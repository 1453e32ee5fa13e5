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
    {5.362, 0.002517, 4049, 0.1533, 1584},
    {2.811, 0.002057, 4450, 0.1525, 1583},
    {5.431, 0.001163, 4072, 0.1202, 1137},
    {2.825, 0.0008056, 4316, 0.1197, 1137},
};
inline constexpr Measured hines_measured{
    {5.295, 0.08559, 51.77, 4400, 0.0621},
    {0.8969, 0.08543, 53.28, 4317, 0.06306},
    {5.318, 0.0653, 48.32, 4301, 0.06395},
    {0.8511, 0.06528, 45.58, 4301, 0.06445},
};
inline constexpr Measured branch_measured{
    {7.367, 0.636, 0.05266, 0.8387, 0.001427, 2.041, 0.008547, 0.01562},
    {0.2564, 0.3634, 0.03871, 1.172, 0.0004536, 3.269, 0.00802, 0.01211},
    {7.231, 0.6516, 0.04906, 0.864, 0.0007566, 1.994, 0.006884, 0.01079},
    {0.1282, 0.3657, 0.03658, 1.33, 0.0002082, 3.265, 0.006218, 0.006639},
};
inline constexpr Measured stone_measured{
    {5.533, 0.5339, 0.0445, 0.3021, 0.4456, 0.03729, 0.01775},
    {0.1105, 0.3857, 0.03842, 0.1566, 0.5371, 0.04486, 0.009891},
    {6.621, 0.5907, 0.03557, 0.1751, 0.2394, 0.04112, 0.01496},
    {0.6115, 0.3594, 0.02313, 0.1349, 0.2821, 0.04434, 0.009643},
};
inline constexpr Measured contraction_measured{
    {7.622, 0.0237, 0.002436, 0.001609, 1.023, 0.01459, 0.004768, 0.0001675},
    {0.8305, 0.1358, 0.001258, 0.001636, 1.137, 0.01156, 0.004068, 9.341e-05},
    {7.98, 6.144e-06, 0.001762, 0.001754, 0.7587, 0.008027, 0.004021, 7.874e-05},
    {1.309, 0.08423, 0.001147, 0.001093, 0.8325, 0.006837, 0.003355, 0.0001025},
};

}  // namespace hillock::solver
