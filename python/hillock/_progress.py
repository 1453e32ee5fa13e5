"""How far a run is, for whoever waits for it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Union

Progress = Union[bool, Callable[[str, int, int, int], None], None]

_between_s = 0.2


class Shown:
    """Tells a user how far a run is, a few times a second: in a notebook by tqdm's bar, where tqdm is, on a terminal
    by a line that is written over, elsewhere, where lines are kept, by one line at the end.

    wanted: a function is called instead; False or None: nothing is told. dt_ms: a step of what runs."""

    def __init__(self, wanted: Progress, dt_ms: float):
        self._call = wanted if callable(wanted) else None
        self._view = _view() if wanted and self._call is None else None
        self._dt_ms = dt_ms
        self._heard = time.monotonic()
        self._next = self._heard + _between_s
        self._phase = None

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        if self._view:
            self._view.end(self._phase if raised[0] is None else None)
        elif self._call and self._phase and raised[0] is None:
            self._call(self._phase.what, self._phase.done, self._phase.total, self._phase.spikes)

    def __call__(self, what, done, total, spikes):
        now = time.monotonic()
        if not self._view and not self._call:
            return
        if not self._phase or self._phase.what != what:
            self._phase = _Phase(what, self._dt_ms if what == "running" else 0, self._heard)
        self._phase.reach(now, done, total, spikes)
        self._heard = now
        if now < self._next:
            return
        self._next = now + _between_s
        if self._call:
            self._call(what, done, total, spikes)
        else:
            self._view.show(self._phase)


class _Phase:
    """One of the things that a run does, and how far it is with it: done of total, 0 where that is not known."""

    def __init__(self, what, dt_ms, began):
        self.what, self.dt_ms, self._began = what, dt_ms, began

    def reach(self, now, done, total, spikes):
        self.elapsed_s, self.done, self.total, self.spikes = now - self._began, min(done, total or done), total, spikes

    @property
    def per_s(self):
        return self.done / self.elapsed_s if self.elapsed_s > 0 else 0.0

    def text(self):
        parts = [self.what]
        if self.total:
            parts.append(f"{100 * self.done // self.total} %")
        if self.dt_ms:
            parts.append(f"{self.done * self.dt_ms:.6g} of {self.total * self.dt_ms:.6g} ms")
        if self.dt_ms and self.per_s > 0:
            parts.append(f"{self.per_s * self.dt_ms:.3g} ms/s")
        if self.total and self.per_s > 0:
            parts.append(f"{_clock((self.total - self.done) / self.per_s)} left")
        if self.spikes:
            parts.append(f"{self.spikes} spikes")
        return "  ".join(parts)


def _clock(seconds):
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def _view():
    if _is_notebook():
        try:
            from tqdm.auto import tqdm

            return _Bar(tqdm)
        except ImportError:
            return _Line()
    return _Line() if sys.stderr.isatty() else _Log()


def _is_notebook():
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


class _Line:
    def __init__(self):
        self._is_drawn = False

    def show(self, phase):
        print(f"\r{phase.text():<78.78}", end="", file=sys.stderr, flush=True)
        self._is_drawn = True

    def end(self, _):
        if self._is_drawn:
            print("\r" + " " * 78 + "\r", end="", file=sys.stderr, flush=True)


class _Log:
    def show(self, phase):
        pass

    def end(self, phase):
        if phase and phase.dt_ms:
            print(f"Hillock: {phase.done * phase.dt_ms:.6g} ms in {_clock(phase.elapsed_s)}, "
                  f"{phase.per_s * phase.dt_ms:.3g} ms/s, {phase.spikes} spikes", file=sys.stderr, flush=True)


class _Bar:
    def __init__(self, tqdm):
        self._tqdm, self._bar, self._what = tqdm, None, None

    def show(self, phase):
        scale = phase.dt_ms or 1
        if self._what != phase.what:
            self._close()
            self._what = phase.what
            self._bar = self._tqdm(total=phase.total * scale or None, desc=phase.what,
                                   unit="ms" if phase.dt_ms else "", unit_scale=False)
        self._bar.n = round(phase.done * scale, 6)
        if phase.spikes:
            self._bar.set_postfix_str(f"{phase.spikes} spikes", refresh=False)
        self._bar.refresh()

    def end(self, phase):
        if phase and self._what == phase.what:
            self.show(phase)
        self._close()

    def _close(self):
        if self._bar is not None:
            self._bar.close()
