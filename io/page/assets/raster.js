// Spikes by time and cell: marks where there are few, a density of counts made beforehand where there
// are many.

class SpikeBand {
  constructor(population, number, startMs, stopMs) {
    Object.assign(this, { ...population, number, startMs, stopMs });
    this.times = blob(population.times, Uint32Array);
    this.cells = blob(population.cells, population.wide ? Uint32Array : Uint16Array);
    this.first = population.first_recorded;
    this.span = Math.max(1, population.end_recorded - population.first_recorded);
    this.perMs = 4294967295 / (stopMs - startMs);
    this.isShown = true;
  }

  /// Counts by time and row at several widths of bins, and each cell's spikes in a row.
  prepare(rows) {
    const n = this.times.length;
    this.rows = clamp(rows, 1, this.span);
    const bins = SpikeBand.bins;
    const shift = 32 - Math.log2(bins);
    const counts = new Uint16Array(bins * this.rows);
    const perCell = this.rows / this.span;
    let listed = 0;  // cells up to the last that spiked
    for (let i = 0; i < n; ++i) if (this.cells[i] - this.first >= listed) listed = this.cells[i] - this.first + 1;
    this.listed = listed;
    this.starts = new Uint32Array(listed + 1);
    for (let i = 0; i < n; ++i) {
      const cell = this.cells[i] - this.first;
      const at = (cell * perCell | 0) * bins + (this.times[i] >>> shift);
      if (counts[at] < 65535) ++counts[at];
      ++this.starts[cell + 1];
    }
    for (let c = 0; c < listed; ++c) this.starts[c + 1] += this.starts[c];
    const next = this.starts.slice();
    this.byCell = new Uint32Array(n);
    for (let i = 0; i < n; ++i) this.byCell[next[this.cells[i] - this.first]++] = this.times[i];
    this.levels = [{ bins, counts, typical: SpikeBand.typical(counts) }];
    while (this.levels.at(-1).bins > 256) this.levels.push(SpikeBand.halve(this.levels.at(-1), this.rows));
  }

  static halve({ bins, counts }, rows) {
    const half = new Uint16Array(bins / 2 * rows);
    for (let i = 0; i < half.length; ++i) half[i] = Math.min(65535, counts[2 * i] + counts[2 * i + 1]);
    return { bins: bins / 2, counts: half, typical: SpikeBand.typical(half) };
  }

  /// The mean of what is not 0.
  static typical(counts) {
    let sum = 0, some = 0;
    for (let i = 0; i < counts.length; ++i) {
      sum += counts[i];
      if (counts[i] > 0) ++some;
    }
    return some > 0 ? sum / some : 1;
  }

  /// The first spike at or after a time.
  static from(times, time, low, high) {
    while (low < high) {
      const middle = low + high >>> 1;
      if (times[middle] < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  units(ms) {
    return clamp((ms - this.startMs) * this.perMs, 0, 4294967295);
  }
}
SpikeBand.bins = 8192;
SpikeBand.mostMarks = 60000;

class Raster {
  constructor(bands, x, axis) {
    this.bands = bands;
    const all = bands.reduce((sum, band) => sum + band.span, 0);
    for (const band of bands) band.room = Math.max(band.span, all * 0.06);
    const room = bands.reduce((sum, band) => sum + band.room, 0);
    for (const band of bands) band.prepare(Math.round(384 * band.room / room));
    this.y = new View(0, 1, Math.min(1, 4 / all));
    this.x = x;
    this.axis = axis;
    this.arrange();
    this.plot = new Plot({
      label: "Raster of spikes", height: 440, left: 84, x, y: this.y, hasNoGrid: true,
      xLabel: axis.label, xTicks: axis.ticks,
      yTicks: (lo, hi, most) => this.ticks(lo, hi, most),
      yLabels: () => this.labels(),
      paint: (plot, pixels) => this.paint(pixels),
      readOut: (at, y) => this.readOut(at, y),
    });
  }

  /// Gives each population that is shown its part of the height, from below.
  arrange() {
    const shown = this.bands.filter((band) => band.isShown);
    const room = shown.reduce((sum, band) => sum + band.room, 0) || 1;
    const gap = shown.length > 1 ? 0.012 : 0;
    let at = 0;
    for (const band of shown) {
      band.base = at;
      band.size = band.room / room * (1 - gap * (shown.length - 1));
      at += band.size + gap;
    }
    this.shown = shown;
  }

  show(number, isShown) {
    this.bands[number].isShown = isShown;
    this.arrange();
    drawing.mark(this.plot);
  }

  ticks(lo, hi, most) {
    const values = [], texts = new Map();
    for (const band of this.shown) {
      const of = (cell) => band.base + (cell - band.first + 0.5) / band.span * band.size;
      const cellAt = (y) => band.first + (y - band.base) / band.size * band.span;
      const from = clamp(cellAt(lo), band.first, band.first + band.span);
      const to = clamp(cellAt(hi), band.first, band.first + band.span);
      const part = (to - from) / band.span * band.size / (hi - lo);
      if (part <= 0) continue;
      for (const cell of ticksBetween(from, to, Math.max(1, most * part)).values) {
        if (cell !== Math.round(cell) || cell >= band.first + band.span) continue;
        const y = of(cell);
        if (y < lo || y > hi) continue;
        values.push(y);
        texts.set(y, count(cell));
      }
    }
    return { values, text: (y) => texts.get(y) ?? "" };
  }

  labels() {
    const { lo, hi } = this.y;
    const labels = [];
    for (const band of this.shown) {
      const from = Math.max(lo, band.base), to = Math.min(hi, band.base + band.size);
      const pixels = (to - from) / (hi - lo) * this.plot.inside.height;
      const text = band.name.length > pixels / 7 ? band.name.slice(0, Math.max(0, pixels / 7 - 1)) : band.name;
      if (pixels > 14)
        labels.push({ text, at: 1 - ((from + to) / 2 - lo) / (hi - lo), colour: theme.population(band.number) });
    }
    return labels;
  }

  /// Within, rows are counted from below.
  paint(pixels) {
    this.mode = "marks";
    for (const band of this.shown) {
      const base = (band.base - this.y.lo) / (this.y.hi - this.y.lo) * pixels.height;
      const size = band.size / (this.y.hi - this.y.lo) * pixels.height;
      if (base >= pixels.height || base + size <= 0) continue;
      const from = band.units(this.x.lo), to = band.units(this.x.hi);
      const begin = SpikeBand.from(band.times, from, 0, band.times.length);
      const end = SpikeBand.from(band.times, to + 1, begin, band.times.length);
      const perCell = size / band.span;
      const firstCell = clamp(Math.floor(-base / perCell), 0, band.listed);
      const endCell = clamp(Math.ceil((pixels.height - base) / perCell), 0, band.listed);
      const ofCells = band.starts[endCell] - band.starts[firstCell];
      const place = { band, base, perCell, from, scale: pixels.width / (to - from || 1) };
      if (end - begin <= SpikeBand.mostMarks) this.marks(pixels, place, begin, end);
      else if (ofCells <= SpikeBand.mostMarks * 2) this.marksOfCells(pixels, place, firstCell, endCell, from, to);
      else this.density(pixels, place, size);
    }
  }

  /// How a mark looks: wider and taller where there is room.
  brush(pixels, { band, perCell }, share) {
    const ratio = pixelRatio();
    const tall = clamp(Math.floor(perCell * 0.8), Math.max(1, Math.round(share < 0.2 ? ratio * 2 : ratio)), Math.round(18 * ratio));
    return { tall, wide: Math.max(1, Math.round(share < 0.05 ? ratio * 1.6 : ratio)), colour: packed(...rgb(theme.population(band.number))) };
  }

  marks(pixels, place, begin, end) {
    const { band, base, perCell, from, scale } = place;
    const brush = this.brush(pixels, place, (end - begin) / SpikeBand.mostMarks);
    const { times, cells, first } = band;
    const half = brush.tall / 2;
    for (let i = begin; i < end; ++i)
      this.mark(pixels, (times[i] - from) * scale | 0, base + (cells[i] - first + 0.5) * perCell - half, brush);
  }

  marksOfCells(pixels, place, firstCell, endCell, from, to) {
    const { band, base, perCell, scale } = place;
    const brush = this.brush(pixels, place, 1);
    for (let cell = firstCell; cell < endCell; ++cell) {
      const y = base + (cell + 0.5) * perCell - brush.tall / 2;
      const last = band.starts[cell + 1];
      for (let i = SpikeBand.from(band.byCell, from, band.starts[cell], last); i < last && band.byCell[i] <= to; ++i)
        this.mark(pixels, (band.byCell[i] - from) * scale | 0, y, brush);
    }
  }

  mark(pixels, x, y, { tall, wide, colour }) {
    const { width, height, words } = pixels;
    const top = Math.max(0, height - Math.round(y) - tall);
    const bottom = Math.min(height, height - Math.round(y));
    const right = Math.min(width, x + wide);
    for (let at = top; at < bottom; ++at)
      for (let px = x; px < right; ++px) words[at * width + px] = colour;
  }

  density(pixels, { band, base, from, scale }, size) {
    this.mode = "density";
    const { width, height, words } = pixels;
    const perPixel = 1 / scale / 4294967296;  // of the whole time
    const level = band.levels.find((one) => one.bins * perPixel <= 1) ?? band.levels.at(-1);
    const { bins, counts } = level;
    const columns = this.columns?.length === width ? this.columns : (this.columns = new Uint32Array(width));
    for (let px = 0; px < width; ++px)
      columns[px] = Math.min(bins - 1, (from + (px + 0.5) / scale) / 4294967296 * bins | 0);
    const table = this.shades(band, level.typical);
    const perRow = size / band.rows;
    for (let py = Math.max(0, Math.round(base)), end = Math.min(height, Math.round(base + size)); py < end; ++py) {
      const row = clamp((py + 0.5 - base) / perRow | 0, 0, band.rows - 1) * bins;
      const line = (height - 1 - py) * width;
      for (let px = 0; px < width; ++px) {
        const c = counts[row + columns[px]];
        if (c > 0) words[line + px] = table[c < 255 ? c : 255];
      }
    }
  }

  /// The population's colour by count, over the page's.
  shades(band, typical) {
    const key = `${theme.name} ${band.number} ${typical}`;
    this.tables ??= new Map();
    if (!this.tables.has(key)) {
      const under = rgb(theme.colours.surface), over = rgb(theme.population(band.number));
      this.tables.set(key, Uint32Array.from({ length: 256 }, (_, c) =>
        packed(...mixed(under, over, 0.18 + 0.82 * (1 - Math.exp(-c / typical / 2.2))).map(Math.round))));
    }
    return this.tables.get(key);
  }

  readOut(at, y) {
    const band = this.shown.find(({ base, size }) => y >= base && y <= base + size);
    if (!band) return [];
    const cell = clamp(Math.floor((y - band.base) / band.size * band.span), 0, band.span - 1);
    const lines = [`${band.name}[${band.first + cell}]`, this.axis.text(at, this.x.hi - this.x.lo)];
    const n = cell < band.listed ? band.starts[cell + 1] - band.starts[cell] : 0;
    if (band.every_spike === 1 && (band.first + cell) % band.every_cell === 0)
      lines.push(`${plural(n, "spike")}, ${short(n / (band.stopMs - band.startMs) * 1000)} Hz`);
    return lines;
  }
}
