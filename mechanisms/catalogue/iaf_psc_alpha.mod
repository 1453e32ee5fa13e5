TITLE Leaky integrate-and-fire neuron, synaptic currents that rise and decay as alpha functions

COMMENT
Integrated exactly as Rotter and Diesmann 1999, Biol. Cybern. 81:381, describe. Names, units and
defaults are those of NEST's iaf_psc_alpha:

tau_m V_m' = E_L - V_m + tau_m/C_m (I_syn_ex + I_syn_in + I_e + I_stim)
I_syn' = dI - I_syn/tau_syn, dI' = -dI/tau_syn

A weight is the peak of a synaptic current that begins with the step in which it arrives and is
largest tau_syn later: it joins I_syn_ex where it is positive, I_syn_in where it is negative. V_m
does not fall below V_min. Where V_m has reached V_th at the end of a step, the neuron spikes, and
V_m is held at V_reset for t_ref, rounded up to whole steps; the currents go on.
ENDCOMMENT

NEURON {
  ARTIFICIAL_CELL iaf_psc_alpha
  ELECTRODE_CURRENT I_stim
  RANGE tau_m, C_m, t_ref, E_L, V_reset, V_th, V_min, tau_syn_ex, tau_syn_in, I_e, V_init
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
  tau_syn_ex = 2 (ms) <1e-9, 1e9>
  tau_syn_in = 2 (ms) <1e-9, 1e9>
  I_e = 0 (pA) <-1e9, 1e9>
  V_init = -70 (mV) <-1e4, 1e4>
}

ASSIGNED {
  I_stim (pA)
  refractory
  ref_steps
  keep_V
  keep_ex
  keep_in
  rise_ex (/ms)
  rise_in (/ms)
  of_ex (mV/pA)
  of_in (mV/pA)
  of_dI_ex (mV ms/pA)
  of_dI_in (mV ms/pA)
  of_constant (mV/pA)
}

STATE {
  V_m (mV)
  I_syn_ex (pA)
  I_syn_in (pA)
  dI_ex (pA/ms)
  dI_in (pA/ms)
}

INITIAL {
  V_m = V_init
  I_syn_ex = 0
  I_syn_in = 0
  dI_ex = 0
  dI_in = 0
  refractory = 0
  ref_steps = ceil(t_ref/dt - 1e-6)
  keep_V = exp(-dt/tau_m)
  keep_ex = exp(-dt/tau_syn_ex)
  keep_in = exp(-dt/tau_syn_in)
  rise_ex = exp(1)/tau_syn_ex
  rise_in = exp(1)/tau_syn_in
  of_ex = dt/C_m*keep_V*growth(dt/tau_m - dt/tau_syn_ex)
  of_in = dt/C_m*keep_V*growth(dt/tau_m - dt/tau_syn_in)
  of_dI_ex = dt*dt/C_m*keep_V*late_growth(dt/tau_m - dt/tau_syn_ex)
  of_dI_in = dt*dt/C_m*keep_V*late_growth(dt/tau_m - dt/tau_syn_in)
  of_constant = dt/C_m*keep_V*growth(dt/tau_m)
}

BREAKPOINT {
  LOCAL syn
  if (refractory > 0) {
    refractory = refractory - 1
  } else {
    syn = I_syn_ex*of_ex + dI_ex*of_dI_ex + I_syn_in*of_in + dI_in*of_dI_in
    V_m = E_L + (V_m - E_L)*keep_V + syn + (I_e + I_stim)*of_constant
    if (V_m < V_min) {
      V_m = V_min
    }
    if (V_m >= V_th) {
      net_event(t)
      V_m = V_reset
      refractory = ref_steps
    }
  }
  I_syn_ex = (I_syn_ex + dt*dI_ex)*keep_ex
  I_syn_in = (I_syn_in + dt*dI_in)*keep_in
  dI_ex = dI_ex*keep_ex
  dI_in = dI_in*keep_in
}

: (e^x - 1)/x, the integral of e^(x s) over s from 0 to 1
FUNCTION growth(x) {
  if (fabs(x) < 0.01) {
    growth = 1 + x/2*(1 + x/3*(1 + x/4*(1 + x/5*(1 + x/6))))
  } else {
    growth = (exp(x) - 1)/x
  }
}

: The integral of s e^(x s) over s from 0 to 1: where x is small, the sum of x^k/(k! (k + 2)).
FUNCTION late_growth(x) {
  LOCAL k
  if (fabs(x) < 0.5) {
    late_growth = 0
    FROM k = 0 TO 14 {
      late_growth = 1/(16 - k) + x/(15 - k)*late_growth
    }
  } else {
    late_growth = (exp(x)*(x - 1) + 1)/(x*x)
  }
}

NET_RECEIVE(weight (pA)) {
  if (weight > 0) {
    dI_ex = dI_ex + weight*rise_ex
  } else {
    dI_in = dI_in + weight*rise_in
  }
}
