// Potentials at contacts: over depth, with what sources they tell of, and where the contacts lie,
// among the cells.

/// A trace's values, [bin]: of pairs the middle of both; NaN is a gap.
const valuesOf = (set, trace) => {
  const per = set.isPaired ? 2 : 1, from = trace * set.bins * per;
  const of = (q) => (q === 65535 ? NaN : set.low[trace] + q * set.scale(trace));
  return Float32Array.from({ length: set.bins }, (_, bin) => (of(set.q[from + bin * per]) + of(set.q[from + bin * per + per - 1])) / 2);
};

/// Along the axis on which contacts reach farthest; those of one depth are one, their mean.
class Depths {
  constructor(set) {
    const { contacts } = set.report;
    const reach = [0, 1, 2].map((axis) => Math.max(...contacts.map((one) => one[axis])) - Math.min(...contacts.map((one) => one[axis])));
    this.axis = reach.indexOf(Math.max(...reach));
    this.name = "xyz"[this.axis];
    const apart = reach[this.axis] * 1e-6;
    const order = contacts.map((_, i) => i).sort((a, b) => contacts[a][this.axis] - contacts[b][this.axis]);
    this.um = [];
    const members = [];
    for (const trace of order) {
      const at = contacts[trace][this.axis];
      if (this.um.length === 0 || at - this.um.at(-1) > apart) {
        this.um.push(at);
        members.push([]);
      }
      members.at(-1).push(trace);
    }
    if (this.um.length < 3) return;
    this.values = members.map((traces) => {
      const all = traces.map((trace) => valuesOf(set, trace));
      return all[0].map((_, bin) => all.reduce((sum, one) => sum + one[bin], 0) / all.length);
    });
    // Second differences over depth, of unlike distances, too; per square millimetre.
    this.sources = this.um.map((at, i) => {
      if (i === 0 || i === this.um.length - 1) return null;
      const below = at - this.um[i - 1], above = this.um[i + 1] - at;
      const [before, own, after] = this.values.slice(i - 1, i + 2);
      return own.map((v, bin) => -2e6 * ((after[bin] - v) / above - (v - before[bin]) / below) / (below + above));
    });
  }

  nearest(um) {
    let best = 0;
    this.um.forEach((at, i) => { if (Math.abs(at - um) < Math.abs(this.um[best] - um)) best = i; });
    return best;
  }
}

/// rows: [depth] of values by bin, or null; over depth and time in colours.
class DepthImage {
  constructor({ set, depths, rows, label, unit, x, axis }) {
    Object.assign(this, { set, depths, rows, unit, axis, x });
    this.min = Infinity;
    this.max = -Infinity;
    for (const row of rows)
      for (const v of row ?? []) {
        if (v < this.min) this.min = v;
        if (v > this.max) this.max = v;
      }
    if (!(this.min < this.max)) [this.min, this.max] = [(this.min === Infinity ? 0 : this.min) - 1, (this.max === -Infinity ? 0 : this.max) + 1];
    const { um } = depths;
    const lo = um[0] - (um[1] - um[0]) / 2, hi = um.at(-1) + (um.at(-1) - um.at(-2)) / 2;
    this.y = new View(lo, hi, (hi - lo) / um.length);
    this.plot = new Plot({ label, height: 280, left: 84, x, y: this.y, hasNoGrid: true, xLabel: axis.label, xTicks: axis.ticks,
      yLabel: `${depths.name} (µm)`, paint: (plot, pixels) => this.paint(pixels), readOut: (at, y) => this.readOut(at, y) });
    this.bar = colourBar(this.min, this.max, unit);
  }

  bin(ms) {
    const bin = Math.floor((ms - this.set.report.start_ms) / this.set.binMs + (this.set.isPaired ? 0 : 0.5));
    return bin >= 0 && bin < this.set.bins ? bin : -1;
  }

  paint(pixels) {
    const { width, height, words } = pixels;
    const colours = theme.viridis.words, to = 255 / (this.max - this.min);
    const bins = Int32Array.from({ length: width }, (_, px) => this.bin(this.x.lo + (px + 0.5) / width * (this.x.hi - this.x.lo)));
    for (let py = 0; py < height; ++py) {
      const row = this.rows[this.depths.nearest(this.y.hi - (py + 0.5) / height * (this.y.hi - this.y.lo))];
      if (row === null) continue;
      for (let px = 0; px < width; ++px) {
        const value = bins[px] < 0 ? NaN : row[bins[px]];
        if (value === value) words[py * width + px] = colours[(value - this.min) * to & 255];
      }
    }
  }

  readOut(at, um) {
    const depth = this.depths.nearest(um), bin = this.bin(at), value = bin < 0 ? NaN : this.rows[depth]?.[bin] ?? NaN;
    return [`${this.depths.name} = ${short(this.depths.um[depth])} µm`, this.axis.text(at, this.x.hi - this.x.lo),
      Number.isNaN(value) ? "no value" : `${short(value)} ${this.unit}`];
  }
}

/// Contacts where they lie, in the colours of their potentials, and cells that lie somewhere.
class ContactsInSpace {
  constructor(set, x, axis) {
    Object.assign(this, { set, x, axis });
    const { contacts } = set.report;
    this.values = contacts.map((_, trace) => valuesOf(set, trace));
    const { placed = [], bands = [] } = window.hillock.activity ?? {};
    const label = `${set.report.name} where its contacts lie`;
    this.tree = treeOfPlaces([{ cells: contacts.map((_, i) => i), places: contacts.flat() }, ...placed], label, (number, cell) =>
      (number > 0 ? [`${bands[number - 1].name}[${cell}]`]
        : [set.labels[cell], `${short(this.values[cell][this.player.frame])} ${set.report.units}, ${this.player.time.textContent}`]));
    const to = 255 / (set.max - set.min);
    this.tree.colourOf = (piece) => {
      const value = piece < contacts.length ? this.values[piece][this.player.frame] : NaN;
      return Number.isNaN(value) ? -1 : clamp((value - set.min) * to, 0, 255) | 0;
    };
    this.player = new Player(label, (frame) => this.show(frame));
    this.bar = colourBar(set.min, set.max, `${set.report.name} (${set.report.units || "1"})`);
    this.player.turnTo(this.mostVaried(), set.bins);
  }

  /// The bin in which potentials are farthest apart.
  mostVaried() {
    let best = 0, widest = -1;
    for (let bin = 0; bin < this.set.bins; ++bin) {
      let least = Infinity, most = -Infinity;
      for (const own of this.values) {
        if (own[bin] < least) least = own[bin];
        if (own[bin] > most) most = own[bin];
      }
      if (most - least > widest) [best, widest] = [bin, most - least];
    }
    return best;
  }

  show(frame) {
    drawing.mark(this.tree);
    const at = this.set.report.start_ms + frame * this.set.binMs;
    this.x.point(at);
    return this.axis.text(at, this.x.max - this.x.min);
  }
}

/// What is drawn of a report at contacts whose places are known, beside its traces.
const contactCards = (set, number, x, axis) => {
  const { report } = set;
  if (!report.contacts || set.count === 0 || set.rows === 0) return [];
  const cards = [];
  const depths = new Depths(set);
  if (depths.values) {
    const of = { set, depths, x, axis };
    const unit = report.units || "1";
    const potential = new DepthImage({ ...of, rows: depths.values, label: `${report.name} over ${depths.name}`, unit: `${report.name} (${unit})` });
    const sources = new DepthImage({ ...of, rows: depths.sources, label: `Sources of ${report.name} over ${depths.name}`, unit: `−∂²/∂${depths.name}² (${unit}/mm²)` });
    window.hillock.depths.push({ depths, potential, sources });
    cards.push(card({ id: `depth-${number}`, title: `${report.name} over depth`, tools: potential.plot.tools(),
      note: `Along ${depths.name}; contacts of one depth are one, their mean. Below, minus the second difference over depth: times the medium's conductivity it estimates the density of current sources (sinks are below zero), where currents flow along ${depths.name} alone. Of the outermost depths there is none.`,
      body: [potential.plot.element, potential.bar, sources.plot.element, sources.bar] }));
  }
  const space = new ContactsInSpace(set, x, axis);
  window.hillock.contacts.push(space);
  cards.push(card({ id: `contacts-${number}`, title: `${report.name} in space`, tools: space.tree.tools(),
    note: window.hillock.activity ? "Contacts in the colours of their potential; cells, where their spikes were recorded and they lie somewhere, in grey." : null,
    how: "Drag to turn, with Shift to move; Ctrl + wheel or pinch to zoom.",
    body: [space.tree.element, space.player.element(), space.bar] }));
  return cards;
};
