: Rates that are 0/0 at one voltage, in TABLEs.
NEURON {
  SUFFIX singular
  RANGE rate, beside, other
}
ASSIGNED { v (mV) rate beside other }
INITIAL {
  rates(v)
  other = value(v)
}
BREAKPOINT { rates(v) }
PROCEDURE rates(v (mV)) {
  TABLE rate FROM -100 TO 100 WITH 7
  rate = (v + 65)/(1 - exp(-(v + 65)/10))
  beside = 2*rate
}
FUNCTION value(v (mV)) {
  TABLE FROM -100 TO 100 WITH 7
  value = (v + 65)/(exp((v + 65)/10) - 1)
}
