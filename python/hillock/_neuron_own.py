"""What runs in the stead of those of NEURON's own mechanisms whose texts hold C code."""

#: But for its noise.
_netstim = """
NEURON { ARTIFICIAL_CELL NetStim  RANGE interval, number, start, noise }
UNITS { (ms) = (millisecond) }
PARAMETER {
  interval = 10 (ms)
  number = 10 <0, 1e9>
  start = 50 (ms)
  noise = 0 <0, 0>
}
ASSIGNED { on  ispike }
FUNCTION invl() (ms) {
  invl = interval
  if (interval <= 0) {
    invl = 0.01
  }
}
INITIAL {
  on = 0
  ispike = 0
  if (start >= 0 && number > 0) {
    on = 1
    net_send(start + (invl() - interval), 1)
  }
}
NET_RECEIVE (w) {
  if (flag == 0) {
    if (w > 0 && on == 0) {
      if (number > 0) {
        on = 1
        ispike = 0
        net_send(invl() - interval, 1)
      }
    } else if (w < 0) {
      on = 0
    }
  } else if (on == 1) {
    ispike = ispike + 1
    net_event(t)
    if (ispike < number) {
      net_send(invl(), 1)
    } else {
      on = 0
    }
  }
}
"""

#: An amplifier of finite gain, with input e and output vo, and a follower vi of the cell's voltage. A step ends with
#: its equations solved for the new voltage, and what they begin from next is kept in e0, vo0 and vi0. After its last
#: level it is off: then tc is when that ended, else more than that.
_vclamp = """
NEURON { POINT_PROCESS VClamp  ELECTRODE_CURRENT i  RANGE dur, amp, gain, rstim, tau1, tau2, fac, e0, vo0, vi0, i }
UNITS { (nA) = (nanoamp)  (mV) = (millivolt) }
PARAMETER {
  dur[3] (ms)
  amp[3] (mV)
  gain = 1e5
  rstim = 1 (megohm)
  tau1 = 0.001 (ms)
  tau2 = 0 (ms)
  fac = 0
  e0 = 0 (mV)
  vo0 = 0 (mV)
  vi0 = 0 (mV)
}
ASSIGNED { v (mV)  dt (ms)  i (nA)  stim (mV)  tc (ms) }
STATE { e (mV)  vo (mV)  vi (mV) }
INITIAL {
  e = 0
  e0 = 0
  vi = v
  vi0 = v
  vo = v
  vo0 = v
}
BREAKPOINT {
  SOLVE keep METHOD after_cvode
  stim = amp[0]
  tc = dur[0]
  if (t >= tc) {
    stim = amp[1]
    tc = tc + dur[1]
    if (t >= tc) {
      stim = amp[2]
      tc = tc + dur[2]
    }
  }
  if (t < tc) { tc = tc + 100 }
  i = through()
}
FUNCTION through() (nA) {
  if (t > tc) {
    e0 = 0
    vo0 = 0
    through = 0
  } else {
    SOLVE amplifier
    through = (vo - v)/rstim
  }
}
LINEAR amplifier {
  LOCAL a, b
  a = tau1/dt
  b = tau2/dt
  ~ (2 + a)*e - (1 + a)*vi = a*(e0 - vi0) - stim
  ~ gain*e + (1 + b)*vo = b*vo0
  ~ vi - fac*vo = (1 - fac)*v
}
PROCEDURE keep() {
  i = through()
  e0 = e
  vo0 = vo
  vi0 = vi
}
"""

#: But for the Vector of record(), which Counts fill.
_apcount = """
NEURON { POINT_PROCESS APCount  RANGE n, thresh, time, firing }
UNITS { (mV) = (millivolt) }
PARAMETER {
  n = 0
  thresh = -20 (mV)
  time = 0 (ms)
}
ASSIGNED { v (mV)  firing }
INITIAL {
  n = 0
  firing = 0
  count()
}
BREAKPOINT { SOLVE count METHOD after_cvode }
PROCEDURE count() {
  if (v >= thresh) {
    if (firing == 0) {
      n = n + 1
      time = t
      firing = 1
    }
  } else if (firing != 0 && t > time) {
    firing = 0
  }
}
"""

texts = {"NetStim": _netstim, "VClamp": _vclamp, "APCount": _apcount}


def text_of_given(name, is_cell):
    """Of what a run is given all spikes of: that it may send something to itself makes room for these."""
    return f"""
NEURON {{ {"ARTIFICIAL_CELL" if is_cell else "POINT_PROCESS"} {name} }}
NET_RECEIVE (w) {{ if (flag == 1) {{ net_event(t)  net_send(0, 1) }} }}
"""
