#pragma once
// The constants of nature, in SI, as CODATA has them since 2018 or as NEURON had them before 8.0.

namespace hillock {

enum class Constants {
  codata2018,
  legacy,  ///< NEURON's nrnunit_use_legacy(1), number for number
};

struct PhysicalConstants {
  double avogadro, charge, boltzmann, planck, hbar;
  double gas;                     ///< of reversal potentials and nrn_ghk
  double faraday;                 ///< of reversal potentials
  double gas_unit, faraday_unit;  ///< of the units (R) and (faraday); the latter of nrn_ghk, too
};

constexpr PhysicalConstants constants_of(Constants which) {
  if (which == Constants::legacy)  // nrnoc/eion.cpp and nrnunits.lib of NEURON 8 and 9
    return {6.022169e23, 1.6021917e-19, 1.38064852e-23, 6.626e-34, 1.055e-34,
            8.3134,      96485.309,     8.3144598,      96485.309};
  constexpr double avogadro = 6.02214076e23, charge = 1.602176634e-19, boltzmann = 1.380649e-23;
  constexpr double gas = boltzmann * avogadro, faraday = charge * avogadro;
  return {avogadro, charge,           boltzmann, 6.62607015e-34, 1.054571817646156e-34,
          gas,      96485.3321233100, gas,       faraday};
}

}  // namespace hillock
