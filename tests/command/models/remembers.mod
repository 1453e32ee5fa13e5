: A conductance onto the voltage of some time ago, and the mean time of the last events: arrays 
: that a run indexes, in BREAKPOINT, in NET_RECEIVE and in a function's LOCAL.
NEURON {
  POINT_PROCESS Remembers
  NONSPECIFIC_CURRENT i
  RANGE lag, depth, g, count, mean, seen, drive, chosen
}
UNITS {
  (mV) = (millivolt)
  (nA) = (nanoamp)
  (uS) = (microsiemens)
}
DEFINE N 200
PARAMETER {
  lag = 5 (ms)
  g = 0.001 (uS)
  depth = 30
}
ASSIGNED {
  v (mV)
  dt (ms)
  i (nA)
  then[N] (mV)
  times[N] (ms)
  place
  count
  mean (ms)
  seen (mV)
  drive (nA)
  chosen
}
INITIAL {
  place = 0
  count = 0
  mean = 0
  drive = 0
  FROM k = 0 TO N - 1 {
    then[k] = v
    times[k] = 0
  }
  seen = v
}
BREAKPOINT {
  SOLVE remember METHOD after_cvode
  i = g*(v - seen) + drive
}
PROCEDURE remember() {
  LOCAL back
  then[place] = v
  back = place - floor(lag/dt + 0.5)
  if (back < 0) { back = back + N }
  seen = then[back]
  chosen = squared(fmod(place, 7))
  place = place + 1
  if (place >= N) { place = 0 }
}
FUNCTION squared(which) {
  LOCAL own[8]
  FROM k = 0 TO 7 { own[k] = k }
  own[which] = own[which]*own[which]
  squared = own[which] + own[7 - which]
}
NET_RECEIVE(w (nA/ms)) {
  LOCAL sum, slot
  slot = fmod(count, depth)
  times[slot] = t
  count = count + 1
  sum = 0
  FROM k = 0 TO depth - 1 {
    if (k < count) { sum = sum + times[k] }
  }
  mean = sum/count
  drive = w*mean
}
