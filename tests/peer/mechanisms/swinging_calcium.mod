: A calcium current that swings with time, whatever the voltage.
NEURON {
  SUFFIX swinging_calcium
  USEION ca WRITE ica
}
PARAMETER { amplitude = 3e-4 (mA/cm2) omega = 1.7 (/ms) }
ASSIGNED { ica (mA/cm2) }
BREAKPOINT { ica = amplitude*sin(omega*t) }
