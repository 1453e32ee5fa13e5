"""A cell of Jaxley's from a file, its HH all over it, for the scripts that compare with it: in double precision, on one
thread of the CPU, or where JAX_PLATFORMS says. Jaxley's kinetics are not NEURON's hh. Not here: what is asked of it."""

import os
import pathlib
import sys

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ.setdefault("JAX_PLATFORMS", "cpu")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from needs import Needs  # noqa: E402

Needs().modules("jaxley").check()
import jax  # noqa: E402

jax.config.update("jax_enable_x64", True)
import jaxley  # noqa: E402
from jaxley.channels import HH  # noqa: E402


def cell_of(work, amplitude_nA):
    """work: swc, max_length, Ra, cm, v_init; a current into the soma from `start`, of `length`, steps `dt` until
    `duration`. The soma's voltage is recorded."""
    said, sys.stdout = sys.stdout, sys.stderr
    cell = jaxley.read_swc(work["swc"], ncomp=1, max_branch_len=work["max_length"])
    cell.insert(HH())
    cell.set("axial_resistivity", work["Ra"])
    cell.set("capacitance", work["cm"])
    cell.set("v", work["v_init"])
    cell.init_states()
    soma = cell.branch(0).loc(0.5)
    soma.stimulate(jaxley.step_current(i_delay=work["start"], i_dur=work["length"], i_amp=amplitude_nA,
                                       delta_t=work["dt"], t_max=work["duration"]))
    soma.record("v")
    sys.stdout = said
    return cell
