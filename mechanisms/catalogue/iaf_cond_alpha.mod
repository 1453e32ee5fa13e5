TITLE Leaky integrate-and-fire neuron, synaptic conductances that are alpha functions

COMMENT
Meffin, Burkitt and Grayden 2004, J. Comput. Neurosci. 16:159. Names, units and defaults are those
of NEST's iaf_cond_alpha:

C_m V_m' = -g_L (V_m - E_L) - g_ex (V_m - E_ex) - g_in (V_m - E_in) + I_e + I_stim
g' = dg - g/tau_syn, dg' = -dg/tau_syn

A weight is the peak of a conductance that begins with the step in which it arrives and is largest
tau_syn later: it joins g_ex where it is positive, and its size g_in where it is negative. In a step
the conductances are held at their means, which are exact, and V_m is exact for these: second
order, stable whatever the step. Where V_m has reached V_th at the end of a step, the neuron spikes,
and V_m is held at V_reset for t_ref, rounded up to whole steps.
ENDCOMMENT

NEURON {
  ARTIFICIAL_CELL iaf_cond_alpha
  ELECTRODE_CURRENT I_stim
  RANGE C_m, g_L, E_L, V_reset, V_th, t_ref, E_ex, E_in, tau_syn_ex, tau_syn_in, I_e, V_init
}

UNITS {
  (mV) = (millivolt)
  (pF) = (picofarad)
  (pA) = (picoamp)
  (nS) = (nanosiemens)
}

PARAMETER {
  C_m = 250 (pF) <1e-9, 1e9>
  g_L = 16.6667 (nS) <1e-9, 1e9>
  E_L = -70 (mV) <-1e4, 1e4>
  V_reset = -60 (mV) <-1e4, 1e4>
  V_th = -55 (mV) <-1e4, 1e4>
  t_ref = 2 (ms) <0, 1e9>
  E_ex = 0 (mV) <-1e4, 1e4>
  E_in = -85 (mV) <-1e4, 1e4>
  tau_syn_ex = 0.2 (ms) <1e-9, 1e9>
  tau_syn_in = 2 (ms) <1e-9, 1e9>
  I_e = 0 (pA) <-1e9, 1e9>
  V_init = -70 (mV) <-1e4, 1e4>
}

ASSIGNED {
  I_stim (pA)
  refractory
  ref_steps
  keep_ex
  keep_in
  mean_ex
  mean_in
  mean_dg_ex (ms)
  mean_dg_in (ms)
  rise_ex (/ms)
  rise_in (/ms)
}

STATE {
  V_m (mV)
  g_ex (nS)
  g_in (nS)
  dg_ex (nS/ms)
  dg_in (nS/ms)
}

INITIAL {
  V_m = V_init
  g_ex = 0
  g_in = 0
  dg_ex = 0
  dg_in = 0
  refractory = 0
  ref_steps = ceil(t_ref/dt - 1e-6)
  keep_ex = exp(-dt/tau_syn_ex)
  keep_in = exp(-dt/tau_syn_in)
  mean_ex = tau_syn_ex/dt*(1 - keep_ex)
  mean_in = tau_syn_in/dt*(1 - keep_in)
  mean_dg_ex = tau_syn_ex*(mean_ex - keep_ex)
  mean_dg_in = tau_syn_in*(mean_in - keep_in)
  rise_ex = exp(1)/tau_syn_ex
  rise_in = exp(1)/tau_syn_in
}

BREAKPOINT {
  LOCAL ex, in, g, rest
  if (refractory > 0) {
    refractory = refractory - 1
  } else {
    ex = mean_ex*g_ex + mean_dg_ex*dg_ex
    in = mean_in*g_in + mean_dg_in*dg_in
    g = g_L + ex + in
    rest = (g_L*E_L + ex*E_ex + in*E_in + I_e + I_stim)/g
    V_m = rest + (V_m - rest)*exp(-dt*g/C_m)
    if (V_m >= V_th) {
      net_event(t)
      V_m = V_reset
      refractory = ref_steps
    }
  }
  g_ex = (g_ex + dt*dg_ex)*keep_ex
  g_in = (g_in + dt*dg_in)*keep_in
  dg_ex = dg_ex*keep_ex
  dg_in = dg_in*keep_in
}

NET_RECEIVE(weight (nS)) {
  if (weight > 0) {
    dg_ex = dg_ex + weight*rise_ex
  } else {
    dg_in = dg_in - weight*rise_in
  }
}
