"""NEURON's ranks: what they agree on, and what the network of each knows of the others'."""

from __future__ import annotations

import numpy as np

from . import _hillock
from ._errors import RankError, Refused
from ._neuron_library import Other, begin_exchange
from ._neuron_session import ELSEWHERE


class Ranks:
    """Those of ParallelContext. count, number: as `nhost` and `id`; one alone where NEURON's do not wait for each
    other, because nobody called set_maxstep before finitialize. What they do together is called by all, in the same
    order; of one rank it is done at once."""

    def __init__(self, h):
        self._h, self._context = h, h.ParallelContext()
        self.count, self.number = int(self._context.nhost()), int(self._context.id())
        if self.count > 1 and not any(other.kind == Other.RANKS for other in Other.all(1)):
            self.count, self.number = 1, 0

    def all(self, own):
        """[rank] what each says."""
        return [own] if self.count == 1 else self._context.py_allgather(own)

    def least(self, own):
        """The least of their numbers; None is more than any."""
        return min((one for one in self.all(own) if one is not None), default=None)

    def step(self, step):
        """A step of NEURON's, whose spikes are brought to the others."""
        step()
        self.tell_spikes()

    def last_step(self, step):
        """The same behind steps that were not NEURON's, whose queue has no event of the ranks before and behind it."""
        if self.count == 1:
            return step()
        begin_exchange()
        self.step(step)
        self._end_exchange()

    def last_step_behind(self, step):
        """The same where NEURON's queue has such an event again, and is to have it."""
        if self.count == 1:
            return step()
        self._end_exchange()
        step()
        begin_exchange()

    def _end_exchange(self):
        for other in Other.all(int(self._context.nthread()), takes=True):
            if other.kind != Other.RANKS:
                other.put()

    def tell_spikes(self):
        """NEURON has spikes that it has not told the others of yet, if it went on by single steps."""
        if self.count > 1:
            self._context.psolve(self._h.t)

    def together(self, do):
        """What do() returns. Where it raises on one of them, all raise: the others the same if it is Refused, or else
        RankError."""
        if self.count == 1:
            return do()
        failure = made = None
        try:
            made = do()
        except BaseException as error:
            failure = error
        said = failure and (isinstance(failure, RankError), getattr(failure, "reasons", None), str(failure))
        said = [(rank, *one) for rank, one in enumerate(self.all(said)) if one]
        if failure is not None and not isinstance(failure, RankError):
            raise failure
        if said:
            rank, _, reasons, text = min(said, key=lambda one: one[1])
            if reasons is not None:
                raise Refused([f"rank {rank}: {reason}" for reason in reasons])
            raise failure or RankError(f"rank {rank}: {text}", rank)
        return made

    def joined(self):
        """The same, as a run needs them; None of one. Raises Refused and UsageError."""
        if self.count == 1:
            return None
        if self._context.nhost_world() != self.count:
            raise Refused(["ParallelContext.subworlds"])
        return _hillock.Ranks(self.count)


class Elsewhere:
    """What a rank and the others know of each other's cells. session, junctions: its own, which hear of theirs; early:
    Given.early."""

    def __init__(self, ranks, session, junctions, early):
        self._session, self._early = session, early
        wanted = set().union(*map(set, ranks.all(list(session.elsewhere))))
        self._leaving = {source: gid for source, gid in session.gids.items() if gid in wanted}
        between = set().union(*map(set, ranks.all([gid for source, gid in self._leaving.items()
                                                   if not session.is_on_grid(source)])))
        session.elsewhere_between = {cell for gid, cell in session.elsewhere.items() if gid in between}
        self._joins = junctions.join_elsewhere(ranks, len(session.elsewhere))
        #: How many cells stand for theirs.
        self.count = max(1, len(session.elsewhere) + len(self._joins)) if ranks.count > 1 else 0

    def fires(self, ranks, own):
        """[(ELSEWHERE, cell)] of those that NEURON would see spike when it begins the next step. own: State.fires."""
        session = self._session
        gids = set().union(*map(set, ranks.all([session.gids[source] for source in own if source in session.gids])))
        return [(ELSEWHERE, cell) for gid, cell in session.elsewhere.items() if gid in gids]

    def outside(self, model):
        """As a run hears of it."""
        outside = _hillock.Outside(model._native, ELSEWHERE)
        of_populations = {}
        for source, gid in self._leaving.items():
            of_populations.setdefault(source[0], []).append((source[1], gid, self._early.get(source, 0.0)))
        for population, rows in of_populations.items():
            cells, gids, leads = zip(*rows)
            outside.leaves(population, _counts(cells), _counts(gids), np.array(leads, float))
        outside.comes(_counts(self._session.elsewhere.values()), _counts(self._session.elsewhere))
        outside.joins(*(_counts(column) for column in (zip(*self._joins) if self._joins else ((), (), ()))))
        return outside


def _counts(numbers):
    return np.array(list(numbers), np.uint64)
