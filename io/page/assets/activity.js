// Rates of cells where they lie: over the whole run, or window by window.

class Activity {
  constructor(bands, x, axis) {
    Object.assign(this, { bands, x, axis });
    this.placed = bands.map((band) => (band.placed === undefined ? { cells: [], places: [] }
      : { cells: Array.from(blob(band.placed, Uint32Array)), places: blob(band.places, Float32Array) }));
    this.tree = treeOfPlaces(this.placed, "Activity where cells lie", (number, cell, piece) =>
      [`${bands[number].name}[${cell}]`, `${short(this.rate(piece))} Hz, ${this.player.time.textContent}`]);
    this.tree.colourOf = (piece) => (bands[this.tree.elements[piece]].isShown ? this.counts[this.at(piece)] / this.most * 255 | 0 : -1);
    this.player = new Player("activity", (frame) => this.show(frame));
    this.bar = make("div");
    this.setWidth(x.max - x.min);
  }

  /// Counts of every cell in windows of so many ms.
  setWidth(ms) {
    const whole = this.x.max - this.x.min;
    this.width = ms;
    this.frames = Math.max(1, Math.ceil(whole / ms - 1e-9));
    const pieces = this.tree.count;
    this.counts = new Uint32Array(this.frames * pieces);
    let piece = 0;
    this.bands.forEach((band, number) => {
      const pieceOf = new Map();
      for (const cell of this.placed[number].cells) pieceOf.set(cell, piece++);
      const perFrame = band.perMs * ms;
      for (let i = 0; i < band.times.length; ++i) {
        const of = pieceOf.get(band.cells[i]);
        if (of !== undefined) ++this.counts[Math.min(this.frames - 1, Math.floor(band.times[i] / perFrame)) * pieces + of];
      }
    });
    this.most = this.counts.reduce((most, count) => Math.max(most, count), 1);
    this.bar.replaceChildren(colourBar(0, this.most / this.lengthOf(0) * 1000, "Rate (Hz)"));
    this.player.turnTo(0, this.frames);
  }

  /// Of a window, in ms: the last may be shorter.
  lengthOf(frame) {
    return Math.min(this.width, this.x.max - this.x.min - frame * this.width);
  }

  at(piece) {
    return this.player.frame * this.tree.count + piece;
  }

  rate(piece) {
    return this.counts[this.at(piece)] / this.lengthOf(this.player.frame) * 1000;
  }

  show(frame) {
    drawing.mark(this.tree);
    const whole = this.x.max - this.x.min;
    if (this.frames === 1) return "whole run";
    const from = this.x.min + frame * this.width;
    this.x.point(from + this.lengthOf(frame) / 2);
    return `${this.axis.text(from, whole)} + ${duration(this.lengthOf(frame))}`;
  }

  /// A choice of windows.
  select() {
    const whole = this.x.max - this.x.min;
    const widths = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000]
      .filter((ms) => ms <= whole / 4 && ms >= whole / 500);
    return make("label", {}, "Window ",
      make("select", { onchange: (event) => this.setWidth(Number(event.target.value)) },
        make("option", { value: whole }, "whole run"), ...widths.map((ms) => make("option", { value: ms }, duration(ms)))));
  }

  card() {
    const cells = plural(this.tree.count, "cell");
    const isPart = this.bands.some((band) => band.every_cell > 1 || band.every_spike > 1) || this.placed.some(({ cells: some }, i) =>
      this.bands[i].placed !== undefined && some.length < this.bands[i].recorded);
    return card({ id: "activity", title: "Activity in space", tools: make("div", { class: "row" }, this.select(), this.tree.tools()),
      note: `Rates of ${cells}${isPart ? ", a part of all: of their spikes those that the raster has" : ""}.`,
      how: "Drag to turn, with Shift to move; Ctrl + wheel or pinch to zoom.",
      body: [this.tree.element, this.player.element(), this.bar] });
  }
}
