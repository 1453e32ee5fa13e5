TITLE Sodium channel whose rates and whose scale have tables
: Constructs: TABLE in a PROCEDURE with DEPEND, TABLE in a FUNCTION, usetable; once with tables, once without

NEURON {
  SUFFIX gates_in_a_table
  USEION na READ ena WRITE ina
  RANGE gbar, gna
  GLOBAL minf, hinf, mtau, htau
}

UNITS {
  (mV) = (millivolt)
  (mA) = (milliamp)
  (S) = (siemens)
}

PARAMETER { gbar = 0.05 (S/cm2) <0, 1> }

ASSIGNED {
  v (mV)
  celsius (degC)
  ena (mV)
  ina (mA/cm2)
  gna (S/cm2)
  minf
  hinf
  mtau (ms)
  htau (ms)
}

STATE { m h }

INITIAL {
  rates(v)
  m = minf
  if (usetable == 0) { h = hinf } else { h = 0.9*hinf }
}

BREAKPOINT {
  SOLVE gates METHOD cnexp
  gna = gbar*m*m*m*h*scale(v)
  ina = gna*(v - ena)
}

DERIVATIVE gates {
  rates(v)
  m' = (minf - m)/mtau
  h' = (hinf - h)/htau
}

PROCEDURE rates(v (mV)) {
  LOCAL q
  TABLE minf, hinf, mtau, htau DEPEND celsius FROM -100 TO 100 WITH 50
UNITSOFF
  q = 2^((celsius - 20)/10)
  minf = 1/(1 + exp(-(v + 38)/7))
  hinf = 1/(1 + exp((v + 60)/6.5))
  mtau = (0.05 + 0.4*exp(-((v + 40)/25)^2))/q
  htau = (0.5 + 8*exp(-((v + 60)/20)^2))/q
UNITSON
}

FUNCTION scale(v (mV)) {
  TABLE FROM -100 TO 100 WITH 20
  scale = 1 + 0.2*sin(v*0.05 (/mV))
}
