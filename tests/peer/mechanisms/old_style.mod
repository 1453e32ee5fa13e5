TITLE Channel in the manner of old files
: Constructs: BREAKPOINT before INITIAL, INDEPENDENT, ? comments, COMMENT in the middle, capital function names, PARAMETER v
: and celsius, rates as a PROCEDURE with LOCALs and return by VERBATIM, printf, GLOBAL that INITIAL assigns
? a comment that begins with a question mark

NEURON {
	SUFFIX old_style
	USEION k READ ek WRITE ik
	RANGE gkbar, ik, inf, tau, n
	GLOBAL tadj
}

INDEPENDENT {t FROM 0 TO 1 WITH 1 (ms)}

UNITS {
	(mA) = (milliamp)
	(mV) = (millivolt)
}

COMMENT
  Text between COMMENT and its end is skipped: { } ( ) ' " : ? do nothing here.
ENDCOMMENT

PARAMETER {
	v		(mV)
	celsius = 34	(degC)
	dt		(ms)
	gkbar	= .003	(mho/cm2)
	vhalfn	= 13	(mV)
	a0n	= 0.02	(/ms)
	zetan	= -3	(1)
	gmn	= 0.7	(1)
	ek
}

STATE {
	n
}

ASSIGNED {
	ik	(mA/cm2)
	inf
	tau	(ms)
	tadj
}

UNITSOFF

BREAKPOINT {
	SOLVE states METHOD cnexp
	ik = gkbar*n*(v-ek)
}

INITIAL {
	tadj = 3^((celsius-24)/10)
	RATES(v)
	n=inf
}

FUNCTION ALPN(vm(mV)) {
	ALPN = exp(1.e-3*zetan*(vm+20-vhalfn)*9.648e4/(8.315*(273.16+celsius)))
}

FUNCTION BETN(vm(mV)) {
	BETN = exp(1.e-3*zetan*gmn*(vm+20-vhalfn)*9.648e4/(8.315*(273.16+celsius)))
}

DERIVATIVE states {
	RATES(v)
	n' = (inf - n)/tau
}

PROCEDURE RATES(vm (mV)) {
	LOCAL a
	a = ALPN(vm)
	inf = 1/(1 + a)
	tau = BETN(vm)/(tadj*a0n*(1+a))
	if (tau < 2) { tau = 2 }
	if (vm > 1000) { printf("%g mV is too much\n", vm) }
	VERBATIM
	return 0;
	ENDVERBATIM
}
UNITSON
