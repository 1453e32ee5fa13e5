"""The exact voltage of a sealed passive cable with a constant current at one point.

The derivation is docs/rallpacks.md. Needs NumPy alone.
"""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class SealedCable:
    length_um: float
    diameter_um: float
    Rm_ohm_cm2: float = 40000.0
    Ra_ohm_cm: float = 100.0
    cm_uF_per_cm2: float = 1.0

    @property
    def tau_ms(self):
        return self.Rm_ohm_cm2 * self.cm_uF_per_cm2 * 1e-3

    @property
    def lambda_um(self):
        return 1e4 * np.sqrt(self.diameter_um * 1e-4 / 4 * self.Rm_ohm_cm2 / self.Ra_ohm_cm)

    def response_mV(self, current_nA, source_um, place_um, times_ms, modes=4000):
        """Rise over rest at `place_um`, current on from t = 0 at `source_um`.

        The steady part is summed in closed form, so `modes` matters for the earliest times only:
        mode n has decayed by exp(-(n pi lambda / length)^2 t / tau).
        """
        area_cm2 = np.pi * self.diameter_um * self.length_um * 1e-8
        input_mV = current_nA * self.Rm_ohm_cm2 / area_cm2 * 1e-6  # of an equipotential cable
        length = self.length_um / self.lambda_um
        near, far = sorted((source_um / self.lambda_um, place_um / self.lambda_um))
        steady = length * np.cosh(near) * np.cosh(length - far) / np.sinh(length)
        n = np.arange(1, modes)
        rate = 1 + (n * np.pi / length) ** 2
        weight = 2 / rate * (np.cos(n * np.pi * source_um / self.length_um)
                             * np.cos(n * np.pi * place_um / self.length_um))
        times = np.asarray(times_ms, dtype=float)
        transient = np.array([weight @ np.exp(-rate * t / self.tau_ms) for t in times])
        rise = input_mV * (steady - np.exp(-times / self.tau_ms) - transient)
        return np.where(times > 0, rise, 0.0)


RALLPACK_1 = SealedCable(1000.0, 1.0)
RALLPACK_2 = SealedCable(320.0, 16.0)  # the cylinder equivalent to the tree
