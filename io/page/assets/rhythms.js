// What rhythms the rates of populations have: their spectrum, and how they correlate with themselves
// some time later.

/// The real and imaginary parts, in place; the length is a power of two.
const fourier = (re, im) => {
  const n = re.length;
  for (let i = 1, j = 0; i < n; ++i) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [re[i], re[j]] = [re[j], re[i]];
      [im[i], im[j]] = [im[j], im[i]];
    }
  }
  for (let size = 2; size <= n; size *= 2) {
    const half = size / 2;
    for (let k = 0; k < half; ++k) {
      const c = Math.cos(2 * Math.PI * k / size), s = -Math.sin(2 * Math.PI * k / size);
      for (let at = k; at < n; at += size) {
        const other = at + half;
        const x = re[other] * c - im[other] * s, y = re[other] * s + im[other] * c;
        [re[other], im[other]] = [re[at] - x, im[at] - y];
        [re[at], im[at]] = [re[at] + x, im[at] + y];
      }
    }
  }
};

/// Power by frequency of a series in steps of `ms`, one-sided, in its unit squared per Hz: the mean over
/// segments that overlap by half, each without its mean and under Hann's window (Welch 1967).
const spectrumOf = (series, ms) => {
  const length = 2 ** Math.floor(Math.log2(series.length / 2));
  const window = Float64Array.from({ length }, (_, i) => 0.5 - 0.5 * Math.cos(2 * Math.PI * i / length));
  const weight = window.reduce((sum, w) => sum + w * w, 0);
  const power = new Float64Array(length / 2);
  let segments = 0;
  for (let from = 0; from + length <= series.length; from += length / 2, ++segments) {
    const part = series.slice(from, from + length);
    const mean = part.reduce((sum, v) => sum + v, 0) / length;
    const re = Float64Array.from(part, (v, i) => (v - mean) * window[i]), im = new Float64Array(length);
    fourier(re, im);
    for (let k = 0; k < power.length; ++k) power[k] += 2 * (re[k] * re[k] + im[k] * im[k]) * ms / 1000 / weight;
  }
  return { first: 0, step: 1000 / (length * ms), values: power.map((p) => p / segments) };
};

/// How a series correlates with itself, from -1 to 1, by lag up to `longestMs` both ways.
const correlogramOf = (series, ms, longestMs) => {
  const mean = series.reduce((sum, v) => sum + v, 0) / series.length;
  const apart = Float64Array.from(series, (v) => v - mean);
  const lags = Math.min(series.length >> 1, Math.round(longestMs / ms));
  const of = (lag) => {
    let sum = 0;
    for (let i = lag; i < apart.length; ++i) sum += apart[i] * apart[i - lag];
    return sum / (apart.length - lag);
  };
  const variance = of(0) || 1;
  const later = Float64Array.from({ length: lags + 1 }, (_, lag) => of(lag) / variance);
  return { first: -lags * ms, step: ms, values: Float64Array.from({ length: 2 * lags + 1 }, (_, i) => later[Math.abs(i - lags)]) };
};

/// Lines of several populations: curves [population] {first, step, values} over x.
class Curves {
  constructor({ bands, curves, label, xLabel, yLabel, least }) {
    Object.assign(this, { bands, curves, least });
    const ends = curves.filter(Boolean).map(({ first, step, values }) => [first, first + step * (values.length - 1)]);
    this.x = new View(Math.min(...ends.map(([lo]) => lo)), Math.max(...ends.map(([, hi]) => hi)), 8 * curves.find(Boolean).step);
    this.plot = new Plot({ label, height: 240, left: 58, x: this.x, y: () => this.range(), xLabel, yLabel,
      paint: (plot, pixels) => this.paint(pixels), readOut: (at) => this.readOut(at) });
  }

  get shown() {
    return this.bands.filter((band, i) => band.isShown && this.curves[i]);
  }

  valueAt(band, at) {
    const { first, step, values } = this.curves[band.number];
    const place = (at - first) / step, i = Math.floor(place);
    if (place < 0 || place > values.length - 1) return null;
    return i + 1 < values.length ? values[i] + (values[i + 1] - values[i]) * (place - i) : values[i];
  }

  /// Of what is seen.
  range() {
    let low = this.least ?? Infinity, high = -Infinity;
    for (const band of this.shown) {
      const { first, step, values } = this.curves[band.number];
      values.forEach((value, i) => {
        const at = first + i * step;
        if (at < this.x.lo || at > this.x.hi || (this.least === undefined && at === 0)) return;
        low = Math.min(low, value);
        high = Math.max(high, value);
      });
    }
    const room = (high - low) * 0.06 || 1;
    return low <= high ? [low - (this.least === undefined ? room : 0), high + room] : [0, 1];
  }

  paint(pixels) {
    const [low, high] = this.plot.lastRange;
    const yOf = (value) => pixels.height * (high - value) / (high - low);
    const perPixel = (this.x.hi - this.x.lo) / pixels.width;
    for (const band of this.shown) {
      const colour = packed(...rgb(theme.population(band.number)));
      let before = null;
      for (let px = 0; px < pixels.width; ++px) {
        const value = this.valueAt(band, this.x.lo + (px + 0.5) * perPixel);
        const y = value === null ? null : yOf(value);
        if (y !== null) pixels.span(px, before ?? y, y, 1.7 * pixelRatio(), colour);
        before = y;
      }
    }
  }

  readOut(at) {
    return [short(at), ...this.shown.slice(0, 12).map((band) => {
      const value = this.valueAt(band, at);
      const line = chip(band.number, `${band.name} ${value === null ? "–" : short(value)}`);
      line.style.setProperty("--colour", theme.population(band.number));
      return make("div", {}, line);
    })];
  }
}

/// Of populations with enough spikes over enough time; [] where there are none.
const rhythmsOf = (bands) => {
  const leastSpikes = 50, leastBins = 128, narrowestMs = 1;
  const wholeMs = data.stop_ms - data.start_ms;
  const series = bands.map((band) => {
    const per = Math.max(1, Math.ceil(narrowestMs / band.rate.binMs - 1e-9));
    const bins = Math.floor(Math.min(band.rate.counts.length, wholeMs / band.rate.binMs + 1e-9) / per);
    if (band.spikes < leastSpikes || bins < leastBins || !(band.recorded > 0)) return null;
    const ms = per * band.rate.binMs;
    const rates = Float64Array.from({ length: bins }, (_, bin) => {
      let spikes = 0;
      for (let i = bin * per; i < (bin + 1) * per; ++i) spikes += band.rate.counts[i];
      return spikes / band.recorded / ms * 1000;
    });
    return { ms, rates };
  });
  if (!series.some(Boolean)) return [];
  const of = (curve) => series.map((one) => one && curve(one));
  return [
    new Curves({ bands, curves: of(({ rates, ms }) => spectrumOf(rates, ms)), label: "Spectrum of rates",
      xLabel: "Frequency (Hz)", yLabel: "Power (Hz²/Hz)", least: 0 }),
    new Curves({ bands, curves: of(({ rates, ms }) => correlogramOf(rates, ms, Math.min(200, wholeMs / 4))), label: "Correlogram of rates",
      xLabel: "Lag (ms)", yLabel: "Correlation (1)" })];
};
