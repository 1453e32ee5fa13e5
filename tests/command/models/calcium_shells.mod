TITLE Calcium and a buffer in four shells, which spread between them and along the cable
: Constructs: LONGITUDINAL_DIFFUSION with and without an index, of arrays and of one STATE; COMPARTMENT twice of one

NEURON {
  SUFFIX calcium_shells
  USEION ca READ cai, ica WRITE cai
  RANGE D, buffer, leak, mean, tracer
}

DEFINE SHELLS 4

UNITS {
  (mM) = (milli/liter)
  (um) = (micron)
  (mA) = (milliamp)
  FARADAY = (faraday) (10000 coulomb)
  PI = (pi) (1)
}

PARAMETER {
  D = 0.6 (um2/ms)
  buffer = 0.5 (mM)
  leak = 0 (mM/ms) : into the outermost shell
}

ASSIGNED {
  diam (um)
  ica (mA/cm2)
  cai (mM)
  mean (mM)
  section (um2)
}

STATE {
  ca[SHELLS] (mM)
  bound[SHELLS] (mM)
  tracer (mM)
}

LOCAL volume[SHELLS], link[SHELLS] : of a compartment 1 um wide

INITIAL {
  section = PI*diam*diam/4
  FROM k = 0 TO SHELLS - 1 {
    volume[k] = PI*(2*(SHELLS - k) - 1)/4/SHELLS/SHELLS
    link[k] = 2*PI*(SHELLS - k - 1)
    ca[k] = cai
    bound[k] = buffer*cai/(cai + 0.001)
  }
  tracer = 0
}

BREAKPOINT { SOLVE scheme METHOD sparse }

KINETIC scheme {
  COMPARTMENT k, volume[k]*diam*diam {ca bound}
  COMPARTMENT section {tracer}
  COMPARTMENT 1.5*section {tracer} : reactions have the last of several, what spreads the first
  LONGITUDINAL_DIFFUSION k, D*volume[k]*diam*diam {ca}
  LONGITUDINAL_DIFFUSION D/10*section {tracer}
  ~ ca[0] << (leak*volume[0]*diam*diam - ica*PI*diam/(2*FARADAY))
  FROM k = 0 TO SHELLS - 2 {
    ~ ca[k] <-> ca[k+1] (D*link[k], D*link[k])
  }
  FROM k = 0 TO SHELLS - 1 {
    ~ ca[k] <-> bound[k] (10*(buffer - bound[k])*volume[k]*diam*diam, 0.01*volume[k]*diam*diam)
  }
  ~ tracer << ((leak - 0.01*tracer)*section)
  cai = ca[0]
  mean = (ca[0] + ca[1] + ca[2] + ca[3])/4
}
