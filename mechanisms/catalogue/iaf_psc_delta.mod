TITLE Leaky integrate-and-fire neuron whose voltage jumps with what arrives

COMMENT
Integrated exactly as Rotter and Diesmann 1999, Biol. Cybern. 81:381, describe. Names, units and
defaults are those of NEST's iaf_psc_delta:

tau_m V_m' = E_L - V_m + tau_m/C_m (I_e + I_stim)

A weight is what V_m jumps by when it arrives, but not below V_min. Where V_m has then reached V_th,
the neuron spikes, at the time of the arrival: at the beginning of a step, and after a delay of one
step in the very next one. A sample of V_m at that time is from before the jump and the spike. V_m
is held at V_reset for t_ref, rounded up to whole steps; what arrives meanwhile is lost, or, with
refractory_input 1, decays with tau_m and makes its jump a step after the end of t_ref.
ENDCOMMENT

NEURON {
  ARTIFICIAL_CELL iaf_psc_delta
  ELECTRODE_CURRENT I_stim
  RANGE tau_m, C_m, t_ref, E_L, V_reset, V_th, V_min, I_e, refractory_input, V_init
}

UNITS {
  (mV) = (millivolt)
  (pF) = (picofarad)
  (pA) = (picoamp)
}

PARAMETER {
  tau_m = 10 (ms) <1e-9, 1e9>
  C_m = 250 (pF) <1e-9, 1e9>
  t_ref = 2 (ms) <0, 1e9>
  E_L = -70 (mV) <-1e4, 1e4>
  V_reset = -70 (mV) <-1e4, 1e4>
  V_th = -55 (mV) <-1e4, 1e4>
  V_min = -1e9 (mV)
  I_e = 0 (pA) <-1e9, 1e9>
  refractory_input = 0 <0, 1>
  V_init = -70 (mV) <-1e4, 1e4>
}

ASSIGNED {
  I_stim (pA)
  arrived (mV)
  waiting (mV)
  refractory  : steps that are left; -1 before the first step, at whose beginning nothing spikes
  ref_steps
  keep_V
  of_constant (mV/pA)
}

STATE {
  V_m (mV)
}

INITIAL {
  V_m = V_init
  arrived = 0
  waiting = 0
  refractory = -1
  ref_steps = ceil(t_ref/dt - 1e-6)
  keep_V = exp(-dt/tau_m)
  of_constant = dt/C_m*keep_V*growth(dt/tau_m)
}

BREAKPOINT {
  if (refractory > 0) {
    waiting = (waiting + refractory_input*arrived)*keep_V
    refractory = refractory - 1
  } else {
    V_m = V_m + arrived + waiting
    waiting = 0
    if (V_m < V_min) {
      V_m = V_min
    }
    if (V_m >= V_th && refractory == 0) {
      net_event(t - dt)
      V_m = V_reset
      refractory = ref_steps
    } else {
      refractory = 0
    }
  }
  arrived = 0
  if (refractory == 0) {
    V_m = E_L + (V_m - E_L)*keep_V + (I_e + I_stim)*of_constant
  }
}

: (e^x - 1)/x
FUNCTION growth(x) {
  if (fabs(x) < 0.01) {
    growth = 1 + x/2*(1 + x/3*(1 + x/4*(1 + x/5*(1 + x/6))))
  } else {
    growth = (exp(x) - 1)/x
  }
}

NET_RECEIVE(weight (mV)) { arrived = arrived + weight }
