TITLE Radial diffusion of calcium through four shells
: Constructs: STATE array in KINETIC, FROM loop of reactions, COMPARTMENT with an index, top-level LOCAL array,
: VALENCE, WRITE of a concentration that another mechanism's reversal potential follows

NEURON {
  SUFFIX kinetic_diffusion
  USEION ca READ cai, ica WRITE cai VALENCE 2
  RANGE outer, D
}

DEFINE SHELLS 4

UNITS {
  (mA) = (milliamp)
  (mM) = (milli/liter)
  (um) = (micron)
  FARADAY = (faraday) (coulomb)
  PI = (pi) (1)
}

PARAMETER { D = 0.6 (um2/ms) <0, 10> }

ASSIGNED {
  diam (um)
  ica (mA/cm2)
  cai (mM)
  outer (mM)
  thickness (um)
}

STATE { ca[SHELLS] (mM) }

LOCAL volume[SHELLS], link[SHELLS]

INITIAL {
  thickness = diam/2/SHELLS
  FROM k = 0 TO SHELLS - 1 {
    volume[k] = PI*thickness^2*(2*(SHELLS - k) - 1)
    link[k] = 2*PI*(SHELLS - k - 1)
    ca[k] = cai
  }
  outer = cai
}

BREAKPOINT { SOLVE diffusion METHOD sparse }

KINETIC diffusion {
  COMPARTMENT k, volume[k] {ca}
  ~ ca[0] << (-ica*PI*diam*(1e4)/(2*FARADAY))
  FROM k = 0 TO SHELLS - 2 {
    ~ ca[k] <-> ca[k+1] (D*link[k], D*link[k])
  }
  cai = ca[0]
  outer = ca[0]
}
