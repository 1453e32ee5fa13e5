TITLE AMPA and NMDA receptors at one synapse, with short-term depression and facilitation

COMMENT
Short-term plasticity as in tmsyn: Tsodyks and Markram 1997, PNAS 94:719; Fuhrmann et al. 2002,
J. Neurophysiol. 87:140; every connection has its own resources. Block by magnesium: Jahr and Stevens
1990, J. Neurosci. 10:3178. The peak of the AMPA conductance is the released part of the weight, that
of the unblocked NMDA conductance ratio times as much.
ENDCOMMENT

NEURON {
  POINT_PROCESS ampanmda
  RANGE tau1_ampa, tau2_ampa, tau1_nmda, tau2_nmda, ratio, e, mg, U, tau_rec, tau_facil
  RANGE i, i_ampa, i_nmda, g_ampa, g_nmda
  NONSPECIFIC_CURRENT i
  THREADSAFE
}

UNITS {
  (nA) = (nanoamp)
  (mV) = (millivolt)
  (uS) = (microsiemens)
  (mM) = (milli/liter)
}

PARAMETER {
  tau1_ampa = 0.2 (ms) <1e-9, 1e9>
  tau2_ampa = 1.7 (ms) <1e-9, 1e9>
  tau1_nmda = 2 (ms) <1e-9, 1e9>
  tau2_nmda = 80 (ms) <1e-9, 1e9>
  ratio = 0.7 <0, 1e9>
  e = 0 (mV)
  mg = 1 (mM) <0, 1e9>
  U = 0.5 <0, 1>
  tau_rec = 800 (ms) <1e-9, 1e9>
  tau_facil = 0 (ms) <0, 1e9>
}

ASSIGNED {
  v (mV)
  i (nA)
  i_ampa (nA)
  i_nmda (nA)
  g_ampa (uS)
  g_nmda (uS)
  factor_ampa
  factor_nmda
}

STATE {
  A_ampa (uS)
  B_ampa (uS)
  A_nmda (uS)
  B_nmda (uS)
}

INITIAL {
  : the rise must be faster than the fall, however little
  if (tau1_ampa/tau2_ampa > 0.9999) {
    tau1_ampa = 0.9999*tau2_ampa
  }
  if (tau1_nmda/tau2_nmda > 0.9999) {
    tau1_nmda = 0.9999*tau2_nmda
  }
  factor_ampa = unit_peak(tau1_ampa, tau2_ampa)
  factor_nmda = unit_peak(tau1_nmda, tau2_nmda)
  A_ampa = 0
  B_ampa = 0
  A_nmda = 0
  B_nmda = 0
}

BREAKPOINT {
  SOLVE decay METHOD cnexp
  g_ampa = B_ampa - A_ampa
  g_nmda = (B_nmda - A_nmda)*unblocked(v)
  i_ampa = g_ampa*(v - e)
  i_nmda = g_nmda*(v - e)
  i = i_ampa + i_nmda
}

DERIVATIVE decay {
  A_ampa' = -A_ampa/tau1_ampa
  B_ampa' = -B_ampa/tau2_ampa
  A_nmda' = -A_nmda/tau1_nmda
  B_nmda' = -B_nmda/tau2_nmda
}

: the jump of both exponentials after which their difference peaks at 1
FUNCTION unit_peak(rise (ms), fall (ms)) {
  LOCAL peak_time
  peak_time = rise*fall/(fall - rise)*log(fall/rise)
  unit_peak = 1/(exp(-peak_time/fall) - exp(-peak_time/rise))
}

: the fraction of channels that magnesium leaves open
FUNCTION unblocked(v (mV)) {
  unblocked = 1/(1 + mg/3.57 (mM)*exp(-0.062 (/mV)*v))
}

NET_RECEIVE(weight (uS), x, u, last (ms)) {
  LOCAL released
  INITIAL {
    x = 1
    u = 0
    last = t
  }
  if (tau_facil > 0 (ms)) {
    u = u*exp(-(t - last)/tau_facil)
  } else {
    u = 0
  }
  u = u + U*(1 - u)
  x = 1 + (x - 1)*exp(-(t - last)/tau_rec)
  released = u*x
  x = x - released
  last = t
  A_ampa = A_ampa + weight*released*factor_ampa
  B_ampa = B_ampa + weight*released*factor_ampa
  A_nmda = A_nmda + ratio*weight*released*factor_nmda
  B_nmda = B_nmda + ratio*weight*released*factor_nmda
}
