"""What figures need to know of spikes and samples, as arrays; nothing here draws."""

import numpy as np

from ._errors import UsageError


def nice(number):
    """The greatest of 1, 2, 5 times a power of ten that is no greater than a positive number."""
    power = 10.0 ** np.floor(np.log10(number))
    steps = np.array([1, 2, 5]) * power
    return float(steps[steps <= number * (1 + 1e-9)][-1])


def span_of(results, t, known=()):
    """(first, last) ms that a figure shows: t, or as far as there are results."""
    if t is not None:
        first, last = (float(one) for one in t)
        if not (np.isfinite([first, last]).all() and first < last):
            raise UsageError(f"t: goes from an earlier to a later time in ms, not {first:g} to {last:g}")
        return first, last
    last = results.duration_ms if results is not None else None
    if last is None and results is not None and results.status == "complete":
        last = results.summary.get("steps", 0) * results.summary.get("dt_ms", 0) or None
    if last is None:
        last = max((float(some.max()) for some in known if len(some)), default=0.0)
    return 0.0, float(last) if last > 0 else 1.0


def sizes_of(results, sizes, names):
    """{population: cells}. sizes: a Model, a dictionary, or None: then what the run tells, or each
    reaches up to the last cell that spikes (reports may be large, and are not read for that)."""
    if sizes is None:
        told = {one["name"]: one["size"] for one in results.summary.get("populations", ())}
        sizes = told if all(name in told for name in names) else None
    if sizes is not None:
        given = {name: getattr(one, "size", one)
                 for name, one in getattr(sizes, "populations", sizes).items()}
        for name in names:
            if name not in given:
                raise KeyError(f"sizes: there is no population '{name}' among {', '.join(given)}")
            if given[name] < _cells(results.spikes[name]):
                raise UsageError(f"sizes: {name} has a cell {_cells(results.spikes[name]) - 1} that "
                                 f"spikes, but {given[name]} cells")
        return {name: int(given[name]) for name in names}
    return {name: _cells(results.spikes[name]) for name in names}


def _cells(spikes):
    return int(spikes.ids.max()) + 1 if len(spikes) else 0


def within(spikes, first, last):
    """(times, ids) of the spikes from first to last, both included. Spikes are sorted by time."""
    begin = int(np.searchsorted(spikes.times, first, side="left"))
    end = int(np.searchsorted(spikes.times, last, side="right"))
    return spikes.times[begin:end], spikes.ids[begin:end]


def rows_of(ids, cells, size):
    """(which spikes, their rows, number of rows): rows count the chosen cells, in their order."""
    if cells is None:
        return slice(None), ids.astype(np.int64), size
    chosen = np.arange(size)[cells] if isinstance(cells, slice) else np.atleast_1d(np.asarray(cells))
    if chosen.size and (chosen.dtype.kind not in "iu" or chosen.ndim != 1 or chosen.min() < 0):
        raise UsageError("cells: numbers of cells from 0 on are needed")
    chosen = chosen.astype(np.int64)
    order = np.argsort(chosen, kind="stable")
    at = np.minimum(np.searchsorted(chosen[order], ids.astype(np.int64)), max(len(chosen) - 1, 0))
    rows = np.where(chosen[order][at] == ids.astype(np.int64), order[at], -1) if len(chosen) else \
        np.full(len(ids), -1)
    return rows >= 0, rows[rows >= 0], len(chosen)


def width_of(times, wanted):
    """A width of bins, no less than wanted and a whole number of steps where all spikes lie on steps:
    bins of 16 and 17 steps in turns would show stripes."""
    some = np.diff(np.unique(times[:20000]))
    if not len(some):
        return float(wanted)
    step = float(some.min())
    if step <= wanted * 1e-3 or np.abs(some / step - np.round(some / step)).max() > 1e-3:
        return float(wanted)
    return step * float(np.ceil(wanted / step * (1 - 1e-9)))


def bin_for(trains, first, last):
    """A width of bins in ms that shows rates in time: a round part of it, wider where spikes are few."""
    fewest = min((len(times) for times in trains if len(times)), default=1)
    wanted = np.clip(5 * (last - first) / fewest, (last - first) / 150, (last - first) / 25)
    longest = max(trains, key=len, default=np.zeros(0))
    return width_of(longest, nice(wanted))


def histogram(times, first, last, width):
    """(edges [n + 1], counts [n]) of times in bins of a width; the last bin may be shorter."""
    n = max(int(np.ceil((last - first) / width - 1e-9)), 1)
    # A spike at an edge is of the later bin, also where rounding put it just before.
    which = np.minimum(((times - first) / width + 1e-6).astype(np.int64), n - 1)
    edges = np.minimum(first + width * np.arange(n + 1), last)
    return edges, np.bincount(which, minlength=n)


def rate_in_bins(times, first, last, width, cells):
    """(edges [n + 1] in ms, Hz per cell [n])."""
    edges, counts = histogram(times, first, last, width)
    return edges, counts / np.diff(edges) * 1000 / max(cells, 1)


def smooth_rate(times, first, last, sigma, cells):
    """(times [n] in ms, Hz per cell [n]) by a Gaussian kernel of standard deviation sigma, in ms.

    Near the ends the kernel's part within is made whole, so that a steady rate stays flat."""
    width = min(sigma / 4, (last - first) / 8)
    edges, counts = histogram(times, first, last, width)
    reach = int(np.ceil(4 * sigma / width))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) * width / sigma) ** 2)

    def spread(column):
        return np.convolve(column, kernel)[reach:reach + len(column)]

    rate = spread(counts) / spread(np.diff(edges))
    return (edges[:-1] + edges[1:]) / 2, rate * 1000 / max(cells, 1)


def mean_rates(ids, size, milliseconds):
    """[cell] Hz of each cell."""
    return np.bincount(ids.astype(np.int64), minlength=size)[:size] * 1000 / milliseconds


def rate_edges(rates, milliseconds, bins):
    """[n + 1] edges in Hz of at most about so many bins of mean rates, which are whole numbers of spikes:
    a bin has equally many of these, with edges halfway between two."""
    spikes = np.round(np.asarray(rates) * milliseconds / 1000)
    each = max(int(np.ceil((spikes.max() - spikes.min() + 1) / bins)), 1)
    below = spikes.min() - spikes.min() % each
    n = int((spikes.max() - below) // each) + 1
    return (below + each * np.arange(n + 1) - 0.5) * 1000 / milliseconds


def intervals(times, ids):
    """(intervals [n] in ms, their cells [n]) between successive spikes of each cell."""
    order = np.argsort(ids, kind="stable")  # within a cell times are sorted already
    times, ids = times[order], ids[order]
    same = ids[1:] == ids[:-1]
    return np.diff(times)[same], ids[1:][same]


def variation(lengths, cells):
    """[cell] the coefficient of variation of the intervals of each cell that has two or more."""
    if not len(lengths):
        return np.zeros(0)
    _, which, n = np.unique(cells, return_inverse=True, return_counts=True)
    mean = np.bincount(which, lengths) / n
    square = np.bincount(which, (lengths - mean[which]) ** 2) / n
    some = (n >= 2) & (mean > 0)
    return np.sqrt(square[some]) / mean[some]


def outline(times, numbers, most):
    """(times, numbers) of at most about `most` samples that look alike: the least and the greatest of
    each stretch, so that no spike is lost. numbers: [sample, line]."""
    stretch = len(times) * 2 // most
    if stretch < 3:
        return times, numbers
    n = len(times) // stretch
    parts = numbers[:n * stretch].reshape(n, stretch, -1)
    ends = np.stack([parts.min(axis=1), parts.max(axis=1)], axis=1)
    falling = (parts.argmin(axis=1) > parts.argmax(axis=1))[:, None, :]
    ends = np.where(falling, ends[:, ::-1], ends)
    starts = times[:n * stretch].reshape(n, stretch)
    at = np.stack([starts[:, stretch // 4], starts[:, stretch * 3 // 4]], axis=1).reshape(-1)
    return (np.concatenate([at, times[n * stretch:]]),
            np.concatenate([ends.reshape(2 * n, -1), numbers[n * stretch:]]))
