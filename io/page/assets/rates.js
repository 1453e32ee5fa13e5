// Rates of populations over time, in bins as wide as one likes.

class Rates {
  constructor(bands, x, axis) {
    this.bands = bands;
    this.x = x;
    this.axis = axis;
    for (const band of bands) band.rate = { binMs: band.rate_bin_ms, counts: blob(band.rate_counts, Uint32Array) };
    this.leastMs = Math.max(...bands.map((band) => band.rate.binMs), 0.001);
    this.wish = 0;  // of a bin's width; 0: by what is seen
    this.plot = new Plot({
      label: "Rates of populations", height: 260, left: 84, x, y: () => this.range(), xLabel: axis.label,
      xTicks: axis.ticks, yLabel: "Spikes a cell (Hz)",
      paint: (plot, pixels) => this.paint(pixels),
      readOut: (at) => this.readOut(at),
    });
  }

  /// A choice of widths.
  select() {
    const whole = this.x.max - this.x.min;
    const widths = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
      .filter((ms) => ms >= this.leastMs * 0.99 && ms <= whole / 5);
    return make("label", {}, "Bins ",
      make("select", { onchange: (event) => {
        this.wish = Number(event.target.value);
        drawing.mark(this.plot);
      } }, make("option", { value: 0 }, "as seen"), ...widths.map((ms) => make("option", { value: ms }, `${short(ms)} ms`))));
  }

  get width() {
    const seen = this.x.hi - this.x.lo;
    if (this.wish > 0) return Math.max(1, Math.round(this.wish / this.leastMs)) * this.leastMs;
    const aim = Math.max(this.leastMs, seen / 250);
    const step = [1, 2, 5].flatMap((s) => [0.01, 0.1, 1, 10, 100, 1000, 10000].map((p) => s * p)).sort((a, b) => a - b)
      .find((ms) => ms >= aim * 0.99) ?? aim;
    return Math.max(1, Math.round(step / this.leastMs)) * this.leastMs;
  }

  /// Of one bin, Hz.
  rate(band, bin, width) {
    const per = Math.max(1, Math.round(width / band.rate.binMs));
    let spikes = 0;
    const end = Math.min(band.rate.counts.length, (bin + 1) * per);
    for (let i = bin * per; i < end; ++i) spikes += band.rate.counts[i];
    const ms = Math.min((bin + 1) * width, this.x.max - this.x.min) - bin * width;
    return ms > 0 && band.recorded > 0 ? spikes / band.recorded / ms * 1000 : 0;
  }

  get seen() {
    const width = this.width;
    return [Math.floor((this.x.lo - this.x.min) / width), Math.ceil((this.x.hi - this.x.min) / width), width];
  }

  range() {
    const [first, end, width] = this.seen;
    let most = 0;
    for (const band of this.bands) {
      band.seenRates = null;
      if (!band.isShown) continue;
      band.seenRates = new Float64Array(Math.max(0, end - first));
      for (let bin = first; bin < end; ++bin)
        most = Math.max(most, band.seenRates[bin - first] = this.rate(band, bin, width));
    }
    return [0, most > 0 ? most * 1.08 : 1];
  }

  paint(pixels) {
    const [first, end, width] = this.seen;
    const perMs = pixels.width / (this.x.hi - this.x.lo);
    const yOf = (rate) => pixels.height * (1 - rate / this.plot.lastRange[1]);
    const thick = 1.7 * pixelRatio();
    for (const band of this.bands) {
      if (!band.seenRates) continue;
      const colour = packed(...rgb(theme.population(band.number)));
      let before = null;
      let px = 0;
      for (let bin = first; bin < end; ++bin) {
        const y = yOf(band.seenRates[bin - first]);
        const stop = Math.min(pixels.width, Math.round(((bin + 1) * width + this.x.min - this.x.lo) * perMs));
        for (let is = 0; px < stop; ++px, ++is) {
          pixels.span(px, is === 0 && before !== null ? before : y, y, thick, colour);
          before = y;
        }
      }
    }
  }

  readOut(at) {
    const width = this.width;
    const bin = Math.floor((at - this.x.min) / width);
    const from = this.x.min + bin * width;
    return [`${this.axis.text(from, this.x.hi - this.x.lo)}, bin of ${short(width)} ms`,
      ...this.bands.filter((band) => band.isShown).slice(0, 12).map((band) => {
        const line = chip(band.number, `${band.name} ${short(this.rate(band, bin, width))} Hz`);
        line.style.setProperty("--colour", theme.population(band.number));
        return make("div", {}, line);
      })];
  }
}
