TITLE current electrode: steps, trains and ramps

COMMENT
Pulse k of count begins at start + k*period and lasts duration; within it the current is
amplitude + slope*(time since the pulse began). A period of 0 means one pulse.
ENDCOMMENT

NEURON {
  POINT_PROCESS iclamp
  ELECTRODE_CURRENT i
  RANGE amplitude, start, duration, period, count, slope, i
  THREADSAFE
}

UNITS { (nA) = (nanoamp) }

PARAMETER {
  amplitude = 0 (nA)
  start = 0 (ms)
  duration = 0 (ms) <0, 1e300>
  period = 0 (ms) <0, 1e300>
  count = 1 <0, 1e300>
  slope = 0 (nA/ms)
}

ASSIGNED { i (nA) }

BREAKPOINT {
  LOCAL pulse, begin
  : the pulse whose start is the last one not after now
  pulse = 0
  if (period > 0 (ms)) {
    pulse = floor((t - start)/period)
    if (pulse > count - 1) {
      pulse = count - 1
    }
    if (pulse < 0) {
      pulse = 0
    }
  }
  begin = start + pulse*period
  i = 0
  if (count > 0 && t >= begin && t < begin + duration) {
    i = amplitude + slope*(t - begin)
  }
}
