"""Stimuli that a script sets by hoc's old functions. Those of fstim() are points of a run, whose numbers NEURON is asked
for, although it only prints them: six digits are not all."""

from __future__ import annotations

import contextlib
import ctypes
import io
import os
import re

import numpy as np

from ._neuron_library import file_in_memory, library

#: Points that inject what fstim() does.
STIMULUS = "HillockStimulus"
text = f"""
NEURON {{ POINT_PROCESS {STIMULUS}  ELECTRODE_CURRENT i  RANGE on, off, amp }}
PARAMETER {{ on (ms)  off (ms)  amp (nA) }}
ASSIGNED {{ i (nA) }}
BREAKPOINT {{ if (t >= on && t <= off) {{ i = amp }} else {{ i = 0 }} }}
"""
_kinds = re.compile(r"\b(fstim|fclamp|fsyn)\(")
_one = re.compile(r"^(.*?)\s*fstim\(\s*(\d+),([^,()]+),([^,()]+),([^,()]+),([^,()]+)\)", re.M)


class Stimuli:
    """Those of a session. of_fstim: [(section, place in it, on, off, amp)], in ms and nA, each there from `on` to `off`,
    both included; problems: why others cannot be taken."""

    def __init__(self, h):
        printed, self._places = _printed(h), []
        kinds = set(_kinds.findall(printed))
        self.of_fstim, self.problems = [], [
            f"{kind}(): NEURON shows nobody what it injects (point processes do the same)" for kind in sorted(kinds)
            if kind != "fstim"]
        if "fstim" in kinds:
            if h.CVode().use_fast_imem():
                self.problems.append("fstim() beside i_membrane_")
            sections = {}
            for section in h.allsec():
                sections.setdefault(str(section), []).append(section)
            for name, number, *numbers in _one.findall(printed):
                place, begin, duration, amp = map(float, numbers)
                of_name, window = sections.get(name, ()), None
                if len(of_name) == 1 and amp:
                    window = _window(h, int(number), begin, duration)
                if window:
                    self.of_fstim.append((of_name[0], place, *window))
                elif amp:
                    self.problems.append(f"fstim({number}): it is not known " + (
                        "when it injects" if len(of_name) == 1 else f"at which {name}"))

    def signature(self):
        """Equal where a run has the same."""
        return self.of_fstim, self.problems

    def find_places(self, session):
        """Now that populations are known."""
        for section, place, *_ in self.of_fstim:
            if session.layers or section.rallbranch != 1:
                session.refuse(f"fstim() in {section}, beside " + ("extracellular" if session.layers else "rallbranch"))
        self._places = [session.place_on_cell(section(place)) for section, place, *_ in self.of_fstim]

    def add_to(self, tree):
        """What stands for them, to a model."""
        of_populations = {}
        for (population, *place), (_, _, *numbers) in zip(self._places, self.of_fstim):
            of_populations.setdefault(population, []).append((*place, *numbers))
        for population, rows in of_populations.items():
            columns = dict(zip(("cell", "branch", "position", "on", "off", "amp"), map(np.array, zip(*rows))))
            tree["points"][f"{population}_{STIMULUS}"] = {"on": population, STIMULUS: {}, "list": {"hdf5": columns}}
        if of_populations:
            tree["mechanisms"].append({"file": text.encode(), "derivative": "neuron"})


def _window(h, number, begin, duration):
    """(the first time at which a stimulus is there, the last one, what it injects then), ms and nA; None where it is not
    found there."""
    find = library().hillock_of_neuron
    find.restype, find.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
    if not (threads := find(b"nrn_threads")):
        return None
    now = ctypes.c_double.from_address(ctypes.c_void_p.from_address(threads).value)  # which hoc's t follows
    kept = now.value

    def injects(time):
        now.value = time
        return h.fstimi(number)

    def last(inside, outside):
        """The last time of those from `inside` on at which it is."""
        while inside < (middle := 0.5 * (inside + outside)) < outside or outside < middle < inside:
            inside, outside = (middle, outside) if injects(middle) else (inside, middle)
        return inside

    try:
        inside, behind = begin + 0.5 * duration, 2 * (begin + duration) + 1
        if not injects(inside) or injects(-1) or injects(behind):
            return None
        return last(inside, -1.0), last(inside, behind), injects(inside)
    finally:
        now.value = kept


def _printed(h):
    """What NEURON prints of them."""
    flush = ctypes.CDLL(None).fflush
    with file_in_memory() as caught, contextlib.redirect_stdout(io.StringIO()) as of_python:
        flush(None)
        try:
            known = os.dup(1)
        except OSError:
            known = None
        os.dup2(caught.fileno(), 1)
        try:
            h.prstim()
        finally:
            flush(None)
            os.close(1) if known is None else os.dup2(known, 1)
            if known is not None:
                os.close(known)
        caught.seek(0)
        return of_python.getvalue() + caught.read().decode(errors="replace")
