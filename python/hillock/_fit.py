"""Values of a model with which its traces come nearest to given ones."""

from __future__ import annotations

import concurrent.futures
import hashlib
import json
import os
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ._errors import FileError, NumericalError, UsageError, is_count
from ._gradient import gradient, half_of_free_memory, squares
from ._model import Model, Source, as_model


@dataclass
class Start:
    """One of a fit's starts: where it began, what it is at, and whether it has come to rest there."""

    begun: dict[str, float]
    values: dict[str, float]
    loss: float
    rounds: int
    is_done: bool
    why: str  #: it ended, in scipy's words


@dataclass
class Fit:
    """What fit() gives: all starts, the best first."""

    starts: list[Start]

    @property
    def values(self) -> dict[str, float]:
        """{path: number} of the best one."""
        return self.starts[0].values

    @property
    def loss(self) -> float:
        return self.starts[0].loss


def fit(model: Source | Model, targets: Mapping[str, Any], parameters: Mapping[str, tuple[float, float]], *,
        weights: Mapping[str, Any] | None = None, starts: int = 20, rounds: int = 200, seed: int = 1,
        file: str | os.PathLike[str] | None = None, most_bytes: int | None = None, threads: int | None = None,
        progress: bool = True) -> Fit:
    """Looks for values with which the sum of weight · (trace - target)² is least, by derivatives: scipy's L-BFGS-B from
    several starts, which are drawn between the bounds.

    targets, weights: as for squares(). parameters: {path: (low, high)} in the base unit of what each path names;
    between two bounds above 0 it is looked for by the logarithm, else by the number. starts: how many. rounds: at most
    so many of L-BFGS-B for each start. seed: of what is drawn. file: where it is kept, after every round, how far all
    starts are; where it is there, the fit goes on from it, each start with what it was at; that it is this model's is
    seen by one derivative. most_bytes: of steps, for all that run at once. threads: so many starts run at once, each on
    one; None: one a core. progress: a line on stderr.

    Raises UsageError where something makes no sense or there is no scipy, FileError where the file is none of this fit,
    and as gradient() where the first run of a start fails; where a later one is not finite, its step is taken back.
    """
    try:
        from scipy.optimize import minimize
    except ImportError:
        raise UsageError("fit needs scipy: pip install scipy, or apt-get install python3-scipy") from None
    read = as_model(model)
    bounds = _Bounds(parameters)
    for name, count in (("starts", starts), ("rounds", rounds)):
        if not is_count(count):
            raise UsageError(f"{name}: a number above 0 is needed, not {count!r}")
    starts, rounds = int(starts), int(rounds)
    loss = squares(targets, weights)
    drawn = np.random.default_rng(seed).uniform(size=(starts, len(bounds.paths)))
    kept = _Kept(file, _mark(bounds, targets, weights, drawn), drawn, rounds)
    workers = min(threads or os.cpu_count() or 1, starts)
    bytes_of_start = (half_of_free_memory() if most_bytes is None else most_bytes) // workers
    for state in kept.states:
        if np.isfinite(state["loss"]):
            now, _ = gradient(read, bounds.values(np.array(state["at"])), loss, most_bytes=bytes_of_start, threads=1)
            kept.compare(state, now)
            break
    line = _Line(kept) if progress else None
    ended = threading.Event()

    def run(number):
        state = kept.states[number]
        if state["is_done"]:
            return
        highest, last = 0.0, {}

        def at(u):
            nonlocal highest
            if ended.is_set():
                raise concurrent.futures.CancelledError
            values = bounds.values(u)
            try:
                found, by = gradient(read, values, loss, most_bytes=bytes_of_start, threads=1)
            except NumericalError:
                if not last:
                    raise
                return 10 * highest + 1, np.zeros_like(u)
            if not last:
                kept.begin(number, u, found)
            highest = max(highest, found)
            last[u.tobytes()] = found
            return found, bounds.by_unit(values, by)

        def end_round(u):
            kept.reach(number, u, last[u.tobytes()])
            last.clear()
            last[u.tobytes()] = state["loss"]
            if line:
                line.draw()

        result = minimize(at, np.array(state["at"]), jac=True, method="L-BFGS-B", bounds=[(0, 1)] * len(bounds.paths),
                          callback=end_round, options={"maxiter": rounds - state["rounds"], "maxfun": 20 * rounds,
                                                           "maxcor": max(10, 2 * len(bounds.paths))})
        kept.end(number, result.message if isinstance(result.message, str) else result.message.decode())

    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        jobs = [pool.submit(run, number) for number in range(starts)]
        try:
            for job in concurrent.futures.as_completed(jobs):
                job.result()
        except BaseException:
            ended.set()
            pool.shutdown(cancel_futures=True)
            raise
        finally:
            if line:
                line.end()
    found = [Start(bounds.values(np.array(one["begun"])), bounds.values(np.array(one["at"])), one["loss"], one["rounds"],
                   one["is_done"], one["why"]) for one in kept.states]
    return Fit(sorted(found, key=lambda one: one.loss))


class _Bounds:
    """Values by numbers between 0 and 1."""

    def __init__(self, parameters):
        if not parameters:
            raise UsageError("parameters: at least one path and its bounds are needed")
        self.paths = list(parameters)
        try:
            pairs = np.array([[float(low), float(high)] for low, high in parameters.values()])
        except (TypeError, ValueError):
            raise UsageError("parameters: of each path two numbers are needed, (low, high)") from None
        self.low, self.high = pairs.T
        for path, low, high in zip(self.paths, self.low, self.high):
            if not (np.isfinite([low, high]).all() and low < high):
                raise UsageError(f"{path}: bounds have to rise, not ({low:g}, {high:g})")
        self.is_log = self.low > 0
        self.log_spans = np.log(np.divide(self.high, self.low, where=self.is_log, out=np.ones_like(self.low)))
        self.spans = self.high - self.low

    def values(self, u):
        numbers = np.where(self.is_log, self.low * np.exp(u * self.log_spans), self.low + u * self.spans)
        return dict(zip(self.paths, np.clip(numbers, self.low, self.high).tolist()))

    def by_unit(self, values, by):
        """Derivatives by these numbers."""
        slopes = np.where(self.is_log, np.array([values[path] for path in self.paths]) * self.log_spans, self.spans)
        return slopes * np.array([by[path] for path in self.paths])


def _mark(bounds, targets, weights, drawn):
    """Of what a fit is one of, for its file."""
    of = hashlib.sha256(json.dumps([bounds.paths, bounds.low.tolist(), bounds.high.tolist()]).encode())
    for arrays in (targets, weights or {}):
        for name in sorted(arrays):
            of.update(name.encode())
            of.update(np.ascontiguousarray(arrays[name], dtype=float).tobytes())
    of.update(drawn.tobytes())
    return of.hexdigest()


class _Kept:
    """How far all starts are, here and in a file."""

    def __init__(self, file, mark, drawn, rounds):
        self._file = None if file is None else Path(file)
        self._mark = mark
        self._lock = threading.Lock()
        self.states = [{"begun": u, "at": u, "loss": float("inf"), "rounds": 0, "is_done": False, "why": ""}
                       for u in drawn.tolist()]
        if self._file is not None and self._file.exists():
            try:
                was = json.loads(self._file.read_text(encoding="utf-8"))
                if was["fit"] != mark:
                    raise FileError(f"{file}: it is kept of a fit with other targets, parameters, starts or seed")
                self.states = was["starts"]
            except (ValueError, KeyError, TypeError):
                raise FileError(f"{file}: it is not a file that fit keeps") from None
            for state in self.states:  # that may have more rounds now
                state["is_done"] = state["is_done"] and (state["rounds"] < state["of"] or state["rounds"] >= rounds)
        for state in self.states:
            state["of"] = rounds

    def compare(self, state, loss):
        """A kept loss is that of its values, to the last bit, unless the model is another one."""
        if loss != state["loss"]:
            raise FileError(f"{self._file}: it is kept of a fit of another model: a start's loss was {state['loss']!r}, "
                            f"and is {loss!r} now")

    def begin(self, number, u, loss):
        with self._lock:
            self.states[number].update(at=u.tolist(), loss=loss)

    def reach(self, number, u, loss):
        with self._lock:
            state = self.states[number]
            state.update(at=u.tolist(), loss=loss, rounds=state["rounds"] + 1)
            self._write()

    def end(self, number, why):
        with self._lock:
            self.states[number].update(is_done=True, why=why)
            self._write()

    def _write(self):
        if self._file is None:
            return
        fresh = self._file.with_name(self._file.name + ".new")
        try:
            fresh.write_text(json.dumps({"fit": self._mark, "starts": self.states}), encoding="utf-8")
            fresh.replace(self._file)
        except OSError as problem:
            raise FileError(f"{self._file}: {problem.strerror}") from None


class _Line:
    """Written over on a terminal; elsewhere, where lines are kept, one at the end."""

    def __init__(self, kept):
        self._kept, self._begun, self._next = kept, time.monotonic(), 0.0
        self._is_drawn = sys.stderr.isatty()

    def _text(self):
        states = self._kept.states
        losses = [one["loss"] for one in states]
        return (f"fitting  {sum(one['is_done'] for one in states)} of {len(states)} starts done  "
                f"{sum(one['rounds'] for one in states)} rounds  loss {min(losses):.6g}  "
                f"{time.monotonic() - self._begun:.0f} s")

    def draw(self):
        if self._is_drawn and time.monotonic() >= self._next:
            self._next = time.monotonic() + 0.2
            print(f"\r{self._text():<78.78}", end="", file=sys.stderr, flush=True)

    def end(self):
        print(f"\r{self._text():<78.78}" if self._is_drawn else f"Hillock: {self._text()}", file=sys.stderr, flush=True)
