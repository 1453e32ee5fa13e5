TITLE Adaptive exponential integrate-and-fire neuron, conductances that decay exponentially

COMMENT
Brette and Gerstner 2005, J. Neurophysiol. 94:3637. Names, units and defaults are those of NEST's
aeif_cond_exp:

C_m V_m' = -g_L (V_m - E_L) + g_L Delta_T exp((V_m - V_th)/Delta_T) - g_ex (V_m - E_ex)
           - g_in (V_m - E_in) - w + I_e + I_stim
tau_w w' = a (V_m - E_L) - w, g' = -g/tau_syn

A weight is what a conductance jumps by: g_ex by a positive one, g_in by the size of a negative
one; it acts from the step on in which it arrives. A step takes half of what is linear, all of the
exponential upstroke, and the other half of what is linear, each exactly, with the conductances at
their means, exact for what decays, and w at its middle: second order, stable whatever the step, and
an upstroke to V_peak takes the time that it takes. Where V_m has reached V_peak in a step, the
neuron spikes at its end. The rest of the step begins where the upstroke reached V_peak: w grows by
b there, and V_m goes on from V_reset, or is held there for t_ref, rounded up to whole steps, from
the step's end on. The upstroke's exponent ends at 50, far beyond where a step reaches V_peak.
ENDCOMMENT

NEURON {
  ARTIFICIAL_CELL aeif_cond_exp
  ELECTRODE_CURRENT I_stim
  RANGE C_m, g_L, E_L, Delta_T, V_th, V_peak, V_reset, t_ref, a, b, tau_w
  RANGE E_ex, E_in, tau_syn_ex, tau_syn_in, I_e, V_init, w_init
}

UNITS {
  (mV) = (millivolt)
  (pF) = (picofarad)
  (pA) = (picoamp)
  (nS) = (nanosiemens)
}

PARAMETER {
  C_m = 281 (pF) <1e-9, 1e9>
  g_L = 30 (nS) <1e-9, 1e9>
  E_L = -70.6 (mV) <-1e4, 1e4>
  Delta_T = 2 (mV) <1e-3, 1e4>
  V_th = -50.4 (mV) <-1e4, 1e4>
  V_peak = 0 (mV) <-1e4, 1e4>
  V_reset = -60 (mV) <-1e4, 1e4>
  t_ref = 0 (ms) <0, 1e9>
  a = 4 (nS) <-1e9, 1e9>
  b = 80.5 (pA) <-1e9, 1e9>
  tau_w = 144 (ms) <1e-9, 1e9>
  E_ex = 0 (mV) <-1e4, 1e4>
  E_in = -85 (mV) <-1e4, 1e4>
  tau_syn_ex = 0.2 (ms) <1e-9, 1e9>
  tau_syn_in = 2 (ms) <1e-9, 1e9>
  I_e = 0 (pA) <-1e9, 1e9>
  V_init = -70.6 (mV) <-1e4, 1e4>
  w_init = 0 (pA) <-1e9, 1e9>
}

ASSIGNED {
  I_stim (pA)
  refractory
  ref_steps
  keep_ex
  keep_in
  keep_w
  keep_w_half
  mean_ex
  mean_in
  drive_peak
  drive_reset (mV)
}

STATE {
  V_m (mV)
  w (pA)
  g_ex (nS)
  g_in (nS)
}

INITIAL {
  V_m = V_init
  w = w_init
  g_ex = 0
  g_in = 0
  refractory = 0
  ref_steps = ceil(t_ref/dt - 1e-6)
  keep_ex = exp(-dt/tau_syn_ex)
  keep_in = exp(-dt/tau_syn_in)
  keep_w = exp(-dt/tau_w)
  keep_w_half = exp(-dt/2/tau_w)
  mean_ex = tau_syn_ex/dt*(1 - keep_ex)
  mean_in = tau_syn_in/dt*(1 - keep_in)
  drive_peak = exp(fmin((V_th - V_peak)/Delta_T, 50))
  drive_reset = dt*g_L/C_m*Delta_T*exp(fmin((V_reset - V_th)/Delta_T, 50))
}

BREAKPOINT {
  LOCAL ex, in, g, rest, keep, drive, up, left, w_rest, V_mean, after
  V_mean = V_m
  after = 0  : of the step, after V_peak
  w_rest = a*(V_m - E_L)
  ex = mean_ex*g_ex
  in = mean_in*g_in
  g = g_L + ex + in
  rest = g_L*E_L + ex*E_ex + in*E_in - (w_rest + (w - w_rest)*keep_w_half) + I_e + I_stim
  rest = rest/g
  if (refractory == 0) {
    keep = exp(-dt/2*g/C_m)
    V_m = rest + (V_m - rest)*keep
    drive = exp(fmin((V_m - V_th)/Delta_T, 50))
    up = dt*g_L/C_m*drive
    left = 1 - up
    if (left > drive*drive_peak) {
      V_m = V_m - Delta_T*log(left)
      V_m = rest + (V_m - rest)*keep
      V_mean = (V_mean + V_m)/2
    } else {
      after = 1 - fmax(1 - drive*drive_peak, 0)/up
      V_mean = (V_mean + Delta_T)*(1 - after) + V_reset*after
      V_m = V_peak
    }
  }
  w_rest = a*(V_mean - E_L)
  w = w_rest + (w - w_rest)*keep_w
  g_ex = g_ex*keep_ex
  g_in = g_in*keep_in
  if (refractory > 0) {
    refractory = refractory - 1
  } else if (V_m >= V_peak) {
    net_event(t)
    w = w + b*(1 - after*dt/tau_w)
    V_m = V_reset
    if (ref_steps == 0) {
      V_m = fmin(V_reset + after*(dt/C_m*(g*(rest - V_reset) - b) + drive_reset), V_peak)
    }
    refractory = ref_steps
  }
}

NET_RECEIVE(weight (nS)) {
  if (weight > 0) {
    g_ex = g_ex + weight
  } else {
    g_in = g_in - weight
  }
}
