// Distributions over cells or intervals, of several populations in one plot.

class Distribution {
  /// name: of a population's histogram, whose counts are parts of all of them, or of `of` in each bin;
  /// of: what is counted.
  constructor({ bands, name, label, xLabel, of }) {
    this.bands = bands.filter((band) => band[name]);
    this.name = name;
    const sample = this.bands[0]?.[name] ?? { first: 0, width: 1, log: false, counts: [0] };
    this.isLog = sample.log;
    this.first = this.isLog ? Math.log10(sample.first) : sample.first;
    this.binWidth = sample.width;
    let begin = Infinity, end = 0;
    for (const band of this.bands)
      (band[name].of ?? band[name].counts).forEach((n, i) => {
        if (n > 0) {
          begin = Math.min(begin, i);
          end = Math.max(end, i + 1);
        }
      });
    this.isEmpty = end === 0;
    if (this.isEmpty) [begin, end] = [0, 1];
    if (!this.isLog) begin = 0;
    const lo = this.first + Math.max(0, begin - (this.isLog ? 1 : 0)) * this.binWidth;
    this.x = new View(lo, this.first + (end + 1) * this.binWidth, this.binWidth * 4);
    this.of = of;
    this.label = label;
    this.xLabel = xLabel;
    this.plot = new Plot({
      label, height: 240, left: 58, x: this.x, y: () => this.range(), xLabel, yLabel: `Part of ${of} (%)`,
      xTicks: (low, high, most) => (this.isLog ? this.decades(low, high) : ticksBetween(low, high, most * 1.6)),
      paint: (plot, pixels) => this.paint(pixels),
      readOut: (at) => this.readOut(at),
    });
  }

  decades(low, high) {
    const values = [];
    const few = high - low < 2.2;
    for (let p = Math.floor(low); p <= high; ++p)
      for (const s of few ? [1, 2, 5] : [1]) {
        const v = p + Math.log10(s);
        if (v >= low - 1e-9 && v <= high + 1e-9) values.push(v);
      }
    return { values, text: (v) => short(10 ** v) };
  }

  part(band, bin) {
    band.totals ??= {};
    const { counts, of } = band[this.name];
    if (of) return of[bin] > 0 ? counts[bin] / of[bin] * 100 : 0;
    const total = band.totals[this.name] ??= counts.reduce((sum, n) => sum + n, 0);
    return total > 0 && bin >= 0 && bin < counts.length ? counts[bin] / total * 100 : 0;
  }

  range() {
    let most = 0;
    for (const band of this.bands)
      if (band.isShown) band[this.name].counts.forEach((_, bin) => (most = Math.max(most, this.part(band, bin))));
    return [0, most > 0 ? most * 1.08 : 1];
  }

  paint(pixels) {
    const shown = this.bands.filter((band) => band.isShown);
    const perUnit = pixels.width / (this.x.hi - this.x.lo);
    const yOf = (part) => pixels.height * (1 - part / this.plot.lastRange[1]);
    const fill = shown.length <= 3;
    const thick = 1.7 * pixelRatio();
    for (const band of shown) {
      const colour = packed(...rgb(theme.population(band.number)));
      let before = pixels.height;
      for (let px = 0; px < pixels.width; ++px) {
        const bin = Math.floor((this.x.lo + (px + 0.5) / perUnit - this.first) / this.binWidth + 1e-9);
        const y = yOf(this.part(band, bin));
        if (fill)
          for (let py = Math.max(0, Math.ceil(y)); py < pixels.height; ++py) {
            const at = py * pixels.width + px;
            pixels.words[at] = blend(pixels.words[at], colour, 0.16);
          }
        pixels.span(px, before, y, thick, colour);
        before = y;
      }
    }
  }

  readOut(at) {
    const bin = Math.floor((at - this.first) / this.binWidth);
    const edge = (i) => {
      const v = this.first + i * this.binWidth;
      return short(this.isLog ? 10 ** v : v);
    };
    return [`${edge(bin)} to ${edge(bin + 1)}`,
      ...this.bands.filter((band) => band.isShown).slice(0, 12).map((band) => {
        const line = chip(band.number, `${band.name} ${short(this.part(band, bin))} %`);
        line.style.setProperty("--colour", theme.population(band.number));
        return make("div", {}, line);
      })];
  }
}
