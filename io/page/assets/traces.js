// Recorded variables over time: some as lines, all as an image of colours. Both are drawn from the
// least and the greatest of so many samples, made beforehand at several widths.

class TraceSet {
  constructor(report) {
    const { traces } = report;
    Object.assign(this, { report, ...traces });
    this.q = blob(traces.values, Uint16Array);
    this.low = blob(traces.low, Float32Array);
    this.high = blob(traces.high, Float32Array);
    this.count = this.labels.length;
    this.binMs = this.samples_per_bin * report.every_ms;
    this.endMs = report.start_ms + this.rows * report.every_ms;
    this.isPaired = this.samples_per_bin > 1;
    this.pyramids = [];
    this.min = Infinity;
    this.max = -Infinity;
    for (let i = 0; i < this.count; ++i) {
      this.min = Math.min(this.min, this.low[i]);
      this.max = Math.max(this.max, this.high[i]);
    }
    if (!(this.min < this.max)) [this.min, this.max] = [(this.count ? this.min : 0) - 1, (this.count ? this.max : 0) + 1];
  }

  /// Of one trace: levels of [least, greatest] pairs, each half as long as the one before; 65535 is a
  /// gap, which stays one only where all are.
  pyramid(trace) {
    if (this.pyramids[trace]) return this.pyramids[trace];
    const length = this.bins * (this.isPaired ? 2 : 1);
    const own = this.q.subarray(trace * length, (trace + 1) * length);
    const levels = [{ pairs: this.isPaired ? own : null, own, bins: this.bins }];
    for (let bins = this.bins; bins > 256;) {
      const { pairs, own: singles } = levels.at(-1);
      const half = bins + 1 >> 1;
      const next = new Uint16Array(half * 2);
      for (let i = 0; i < half; ++i) {
        const a = 2 * i, b = Math.min(bins - 1, 2 * i + 1);
        const aLow = pairs ? pairs[2 * a] : singles[a], aHigh = pairs ? pairs[2 * a + 1] : singles[a];
        const bLow = pairs ? pairs[2 * b] : singles[b], bHigh = pairs ? pairs[2 * b + 1] : singles[b];
        next[2 * i] = aLow < bLow ? aLow : bLow;
        next[2 * i + 1] = aHigh === 65535 ? bHigh : bHigh === 65535 || aHigh > bHigh ? aHigh : bHigh;
      }
      levels.push({ pairs: next, own: null, bins: half });
      bins = half;
    }
    return (this.pyramids[trace] = levels);
  }

  /// The finest level that has at most so many bins a pixel.
  static level(levels, bins, binsPerPixel, most) {
    return levels.find((one) => binsPerPixel * one.bins / bins <= most) ?? levels.at(-1);
  }

  scale(trace) {
    return (this.high[trace] - this.low[trace]) / 65534;
  }

  /// A trace's value at a time, or null.
  valueAt(trace, ms) {
    const bin = Math.floor((ms - this.report.start_ms) / this.binMs + (this.isPaired ? 0 : 0.5));
    if (bin < 0 || bin >= this.bins) return null;
    const [own] = this.pyramid(trace);
    const of = (q) => (q === 65535 ? null : this.low[trace] + q * this.scale(trace));
    return own.pairs ? [of(own.pairs[2 * bin]), of(own.pairs[2 * bin + 1])] : [of(own.own[bin])];
  }
}

class TraceLines {
  constructor(set, x, axis) {
    Object.assign(this, { set, x, axis, page: 0, most: Math.min(6, set.count) });
    this.pages = Math.max(1, Math.ceil(set.count / Math.max(1, this.most)));
    const { report } = set;
    this.plot = new Plot({
      label: `Traces of ${report.name}`, height: 280, left: 84, x, xLabel: axis.label, xTicks: axis.ticks,
      y: () => this.range(), yLabel: `${report.name} (${report.units || "1"})`,
      paint: (plot, pixels) => this.paint(pixels),
      readOut: (at) => this.readOut(at),
    });
    this.legend = make("div", { class: "legend" });
    this.place = make("span", { class: "place" });
    this.tellPlace();
  }

  /// The traces of a page: they are spread over all, over the whole tree of a cell.
  get shown() {
    const traces = [];
    for (let trace = this.page; trace < this.set.count; trace += this.pages) traces.push(trace);
    return traces;
  }

  tools() {
    if (this.pages === 1) return null;
    return make("div", { class: "tools", role: "group", "aria-label": "Which traces" },
      button("‹", "other traces", () => this.turnTo(this.page - 1)), this.place,
      button("›", "other traces", () => this.turnTo(this.page + 1)));
  }

  /// The page with a trace.
  show(trace) {
    this.turnTo(trace % this.pages);
  }

  turnTo(page) {
    this.page = clamp(page, 0, this.pages - 1);
    this.tellPlace();
    drawing.mark(this.plot);
  }

  tellPlace() {
    const { shown } = this;
    this.place.textContent = `${count(shown.length)} of ${count(this.set.count)}: ${shown.slice(0, 2).map((trace) => count(trace + 1)).join(", ")} …`;
    this.legend.replaceChildren(...shown.map((trace, i) => {
      const one = chip(i, this.set.labels[trace]);
      one.style.setProperty("--colour", theme.population(i));
      return one;
    }));
  }

  /// Of the traces that are shown, over all time.
  range() {
    let low = Infinity, high = -Infinity;
    for (const trace of this.shown) {
      low = Math.min(low, this.set.low[trace]);
      high = Math.max(high, this.set.high[trace]);
    }
    if (!(low <= high)) return [0, 1];
    const room = (high - low) * 0.06 || Math.abs(high) * 0.1 || 1;
    return [low - room, high + room];
  }

  paint(pixels) {
    const { shown } = this;
    for (let i = shown.length - 1; i >= 0; --i) this.paintOne(pixels, shown[i], packed(...rgb(theme.population(i))));
  }

  paintOne(pixels, trace, colour) {
    const { set, x } = this;
    const [low, high] = this.plot.lastRange;
    const perMs = pixels.width / (x.hi - x.lo);
    const levels = set.pyramid(trace);
    const level = TraceSet.level(levels, set.bins, 1 / (perMs * set.binMs), 1.5);
    const binMs = set.binMs * set.bins / level.bins * (level === levels[0] ? 1 : this.stretch(levels, level));
    const yScale = set.scale(trace) / (high - low) * pixels.height;
    const yZero = (high - set.low[trace]) / (high - low) * pixels.height;
    const yOf = (q) => yZero - q * yScale;
    const thick = 1.6 * pixelRatio();
    const at = (px) => ((x.lo + px / perMs) - set.report.start_ms) / binMs;
    if (level.pairs) this.paintPairs(pixels, level, at, yOf, thick, colour);
    else this.paintSamples(pixels, level, at, yOf, thick, colour);
  }

  /// The last bin of a level may stand for less than the others: levels are as wide as if it did not.
  stretch(levels, level) {
    const halvings = levels.indexOf(level);
    return 2 ** halvings * level.bins / this.set.bins;
  }

  paintPairs(pixels, { pairs, bins }, at, yOf, thick, colour) {
    let before = null;
    for (let px = 0; px < pixels.width; ++px) {
      const bin = Math.floor(at(px + 0.5));
      const from = Math.max(0, Math.min(bin, Math.floor(at(px)))), to = Math.min(bins - 1, Math.max(bin, Math.floor(at(px + 1) - 1e-9)));
      let top = Infinity, bottom = -Infinity;
      for (let b = from; b <= to; ++b) {
        if (pairs[2 * b] === 65535) continue;
        bottom = Math.max(bottom, yOf(pairs[2 * b]));
        top = Math.min(top, yOf(pairs[2 * b + 1]));
      }
      if (top > bottom) {
        before = null;
        continue;
      }
      // Joined to the column before.
      pixels.span(px, before && before[1] < top ? before[1] : top, before && before[0] > bottom ? before[0] : bottom, thick, colour);
      before = [top, bottom];
    }
  }

  paintSamples(pixels, { own, bins }, at, yOf, thick, colour) {
    const value = (place) => {
      const bin = Math.floor(place);
      if (place < 0 || bin >= bins || own[bin] === 65535) return null;
      const next = Math.min(bins - 1, bin + 1);
      if (own[next] === 65535) return place - bin < 0.5 ? yOf(own[bin]) : null;
      return yOf(own[bin] + (own[next] - own[bin]) * (place - bin));
    };
    let left = value(at(0));
    for (let px = 0; px < pixels.width; ++px) {
      const right = value(at(px + 1));
      if (left !== null && right !== null) {
        let top = Math.min(left, right), bottom = Math.max(left, right);
        for (let b = Math.ceil(at(px)); b <= at(px + 1) && b < bins; ++b)
          if (b >= 0 && own[b] !== 65535) {
            top = Math.min(top, yOf(own[b]));
            bottom = Math.max(bottom, yOf(own[b]));
          }
        // A slope looks as thick as a level line.
        const rise = bottom - top;
        pixels.span(px, top, bottom, thick * (rise < 8 ? Math.sqrt(1 + rise * rise * 0.25) : 1), colour);
      }
      left = right;
    }
    if (this.plot.inside.width / ((at(pixels.width) - at(0)) || 1) < 14) return;
    const size = Math.round(2 * pixelRatio());  // samples as dots
    for (let b = Math.max(0, Math.ceil(at(0))); b < bins && b <= at(pixels.width); ++b) {
      if (own[b] === 65535) continue;
      const px = Math.round((b - at(0)) / (at(pixels.width) - at(0)) * pixels.width);
      for (let dx = -size; dx <= size; ++dx)
        if (px + dx >= 0 && px + dx < pixels.width)
          pixels.span(px + dx, yOf(own[b]), yOf(own[b]), 2 * Math.sqrt(Math.max(0.1, size * size + 0.5 - dx * dx)), colour);
    }
  }

  readOut(at) {
    const { set } = this;
    const lines = [this.axis.text(at, this.x.hi - this.x.lo)];
    for (const [i, trace] of this.shown.entries()) {
      const values = set.valueAt(trace, at);
      if (!values || values[0] === null) continue;
      const text = values.length === 2 && values[0] !== values[1] ? `${short(values[0])} to ${short(values[1])}` : short(values[0]);
      const line = chip(i, `${set.labels[trace]}  ${text} ${set.report.units}`);
      line.style.setProperty("--colour", theme.population(i));
      lines.push(make("div", {}, line));
    }
    return lines;
  }
}

/// A colour bar with ticks.
const colourBar = (low, high, label) => {
  const canvas = make("canvas", { width: 256, height: 1, "aria-hidden": "true" });
  const context = canvas.getContext("2d");
  const ticks = ticksBetween(low, high, 4);
  const element = make("div", { class: "bar", role: "img", "aria-label": `Colours from ${short(low)} to ${short(high)}, ${label}` },
    canvas, make("div", { class: "bar-ticks" }, ...ticks.values.map((v) => {
      const tick = make("span", {}, ticks.text(v));
      tick.style.left = `${(v - low) / (high - low) * 100}%`;
      return tick;
    })), make("div", { class: "bar-label" }, label));
  element.drawnBy = { element, draw() {
    const image = context.createImageData(256, 1);
    new Uint32Array(image.data.buffer).set(theme.viridis.words);
    context.putImageData(image, 0, 0);
  } };
  drawing.add(element.drawnBy);
  return element;
};

class TraceImage {
  constructor(set, lines, x, axis) {
    Object.assign(this, { set, x, axis });
    this.y = new View(0, set.count, Math.min(8, set.count));
    this.plot = new Plot({
      label: `All traces of ${set.report.name}`, height: 320, left: 84, x, y: this.y, goesDown: true, hasNoGrid: true,
      xLabel: axis.label, xTicks: axis.ticks, yLabel: "Trace",
      yTicks: (lo, hi, most) => {
        const ticks = ticksBetween(lo + 1, hi, most);
        return { values: ticks.values.filter((v) => v >= 1 && v === Math.round(v)).map((v) => v - 0.5), text: (v) => count(v + 0.5) };
      },
      paint: (plot, pixels) => this.paint(pixels),
      readOut: (at, y) => this.readOut(at, y),
      choose: (at, y) => lines.show(Math.floor(y)),
    });
    this.bar = colourBar(set.min, set.max, `${set.report.name} (${set.report.units || "1"})`);
  }

  paint(pixels) {
    const { set, x, y } = this;
    const { width, height, words } = pixels;
    const perMs = width / (x.hi - x.lo);
    const columns = this.columns?.length === width ? this.columns : (this.columns = new Int32Array(width));
    const to = 255 / (set.max - set.min);
    const colours = theme.viridis.words;
    let known = null;
    let lastTrace = -1, lastLine = 0;
    for (let py = 0; py < height; ++py) {
      const trace = clamp(Math.floor(y.lo + (py + 0.5) / height * (y.hi - y.lo)), 0, set.count - 1);
      const line = py * width;
      if (trace === lastTrace) {
        words.copyWithin(line, lastLine, lastLine + width);
        continue;
      }
      lastTrace = trace;
      lastLine = line;
      const levels = set.pyramid(trace);
      if (known === null) {
        known = levels.indexOf(TraceSet.level(levels, set.bins, 1 / (perMs * set.binMs), 1));
        const binMs = set.binMs * 2 ** known;
        for (let px = 0; px < width; ++px) {
          const bin = Math.floor((x.lo + (px + 0.5) / perMs - set.report.start_ms) / binMs);
          columns[px] = bin >= 0 && bin < levels[known].bins ? bin : -1;
        }
      }
      const { pairs, own } = levels[known];
      const base = (set.low[trace] - set.min) * to, slope = set.scale(trace) * to;
      for (let px = 0; px < width; ++px) {
        const bin = columns[px];
        if (bin < 0) continue;
        const q = pairs ? pairs[2 * bin + 1] : own[bin];
        if (q !== 65535) words[line + px] = colours[base + q * slope & 255];
      }
    }
  }

  readOut(at, y) {
    const trace = clamp(Math.floor(y), 0, this.set.count - 1);
    const values = this.set.valueAt(trace, at);
    const value = values?.at(-1) ?? null;
    return [this.set.labels[trace], this.axis.text(at, this.x.hi - this.x.lo),
      value === null ? "no value" : `${short(value)} ${this.set.report.units}`];
  }
}
