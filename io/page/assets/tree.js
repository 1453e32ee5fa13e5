// A cell's shape in 3D, coloured by what was recorded, drawn into an image with a depth for each pixel.

class Tree {
  /// of: { ends, elements, branches } of pieces. To be set: rgbOf(piece) -> colour, else
  /// colourOf(piece) -> index in viridis or -1.
  constructor(of, label) {
    Object.assign(this, of);
    this.label = label;
    this.count = this.elements.length;
    this.canvas = make("canvas", { tabindex: 0, role: "img", "aria-label": `${label}. Arrow keys turn, plus and minus zoom, 0 shows all.` });
    this.bubble = make("div", { class: "bubble", hidden: true });
    this.hintBox = make("div", { class: "hint", hidden: true }, "Ctrl + wheel zooms, or click first");
    this.element = make("div", { class: "plot tree" }, this.canvas, this.bubble, this.hintBox);
    this.element.drawnBy = this;
    this.height = 520;
    this.element.style.height = `${this.height}px`;
    this.context = this.canvas.getContext("2d", { willReadFrequently: true });
    this.measure();
    this.reset();
    listen(this.canvas, {
      drag: (dx, dy, event) => {
        if (event.shiftKey) {
          this.shift[0] += dx;
          this.shift[1] += dy;
        } else this.turn(dx * 0.008, dy * 0.008);
        drawing.mark(this);
      },
      zoom: (factor, x, y) => this.zoomAt(factor, x, y),
      over: (x, y) => this.pointAt(x, y),
      tap: (x, y, event) => {
        this.canvas.focus({ preventScroll: true });
        if (event.pointerType !== "mouse") this.pointAt(x, y);
      },
      key: (key) => this.press(key),
      hint: () => Plot.prototype.showHint.call(this),
    });
    drawing.add(this);
  }

  /// Where its middle lies and how far it reaches.
  measure() {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < this.ends.length; i += 4)
      for (let axis = 0; axis < 3; ++axis) {
        const radius = this.ends[i + 3] / 2;
        low[axis] = Math.min(low[axis], this.ends[i + axis] - radius);
        high[axis] = Math.max(high[axis], this.ends[i + axis] + radius);
      }
    if (this.count === 0) low.fill(0), high.fill(1);
    this.middle = low.map((v, i) => (v + high[i]) / 2);
    this.extent = high.map((v, i) => v - low[i]);
    this.reach = Math.max(1, Math.hypot(...this.extent) / 2);
  }

  reset() {
    // Seen from the front, y upwards as in morphologies.
    this.rotation = [1, 0, 0, 0, 1, 0, 0, 0, 1];
    this.turn(0.35, 0.12);
    this.zoom = 1;
    this.shift = [0, 0];
    drawing.mark(this);
  }

  /// By angles about the page's vertical and horizontal.
  turn(about, over) {
    const [c, s] = [Math.cos(about), Math.sin(about)], [d, t] = [Math.cos(over), Math.sin(over)];
    const by = [c, 0, s, s * t, d, -c * t, -s * d, t, c * d];
    const r = this.rotation;
    this.rotation = by.map((_, i) => {
      const row = Math.floor(i / 3) * 3, column = i % 3;
      return by[row] * r[column] + by[row + 1] * r[3 + column] + by[row + 2] * r[6 + column];
    });
  }

  zoomAt(factor, x, y) {
    const next = clamp(this.zoom / factor, 0.3, 80);
    const ratio = next / this.zoom;
    const cx = this.element.clientWidth / 2, cy = this.height / 2;
    this.shift = [(x - cx) * (1 - ratio) + this.shift[0] * ratio, (y - cy) * (1 - ratio) + this.shift[1] * ratio];
    this.zoom = next;
    drawing.mark(this);
  }

  press(key) {
    const turns = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
    if (turns[key]) this.turn(...turns[key]);
    else if (key === "+" || key === "=") this.zoom = clamp(this.zoom * 1.3, 0.3, 80);
    else if (key === "-") this.zoom = clamp(this.zoom / 1.3, 0.3, 80);
    else if (key === "0" || key === "Home") this.reset();
    else return false;
    drawing.mark(this);
    return true;
  }

  tools() {
    const turn = (key) => () => this.press(key);
    return make("div", { class: "tools", role: "group", "aria-label": `${this.label}: view` },
      button("↺", `${this.label}: turn left`, turn("ArrowLeft")), button("↻", `${this.label}: turn right`, turn("ArrowRight")),
      button("−", `${this.label}: zoom out`, turn("-")), button("+", `${this.label}: zoom in`, turn("+")),
      button("All", `${this.label}: show all`, turn("0")));
  }

  pointAt(x, y) {
    const piece = x === null || !this.owner ? -1 : this.pieceAt(x, y);
    const lines = piece >= 0 ? this.readOut?.(piece) ?? [] : [];
    this.bubble.hidden = lines.length === 0;
    if (lines.length === 0) return;
    this.bubble.replaceChildren(...lines.map((line) => make("div", {}, line)));
    const box = this.bubble.getBoundingClientRect();
    const left = x + 14 + box.width > this.element.clientWidth ? x - 14 - box.width : x + 14;
    this.bubble.style.transform = `translate(${Math.max(0, left)}px, ${clamp(y - 10, 0, this.height - box.height)}px)`;
  }

  /// The piece at a place, or near to it.
  pieceAt(x, y) {
    const ratio = this.owner.width / this.element.clientWidth;
    const cx = Math.round(x * ratio), cy = Math.round(y * ratio);
    let best = -1, nearest = Infinity;
    for (let dy = -6; dy <= 6; ++dy)
      for (let dx = -6; dx <= 6; ++dx) {
        const px = cx + dx, py = cy + dy;
        if (px < 0 || py < 0 || px >= this.owner.width || py >= this.owner.height) continue;
        const piece = this.owner.pieces[py * this.owner.width + px];
        const far = dx * dx + dy * dy;
        if (piece >= 0 && far < nearest) [best, nearest] = [piece, far];
      }
    return best;
  }

  draw() {
    const width = this.element.clientWidth;
    if (width < 40) return;
    const ratio = pixelRatio();
    const w = Math.round(width * ratio), h = Math.round(this.height * ratio);
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
    }
    if (!this.pixels || this.pixels.width !== w || this.pixels.height !== h) {
      this.pixels = new Pixels(w, h);
      this.depth = new Float32Array(w * h);
      this.owner = { width: w, height: h, pieces: new Int32Array(w * h) };
    }
    this.pixels.clear(packed(...rgb(theme.colours.surface)));
    this.depth.fill(1e30);
    this.owner.pieces.fill(-1);
    const margin = 24;
    // All of it as it is seen from the front, with room for turning.
    const fit = Math.min((width - 2 * margin) / Math.max(1, this.extent[0]), (this.height - 2 * margin) / Math.max(1, this.extent[1]),
      1.6 * Math.min(width, this.height) / (2 * this.reach));
    this.scale = fit * this.zoom;
    this.paintPieces(ratio);
    this.context.putImageData(this.pixels.data, 0, 0);
    this.drawScale(ratio, width);
  }

  paintPieces(ratio) {
    const { ends, rotation: r, middle, count: pieces } = this;
    const scale = this.scale * ratio;
    const cx = this.pixels.width / 2 + this.shift[0] * ratio, cy = this.pixels.height / 2 + this.shift[1] * ratio;
    const grey = rgb(theme.colours.muted);
    const colours = theme.viridis.bytes;
    const thinnest = (this.thinnest ?? 0.9) * ratio;
    for (let i = 0; i < pieces; ++i) {
      const at = i * 8;
      const x0 = ends[at] - middle[0], y0 = ends[at + 1] - middle[1], z0 = ends[at + 2] - middle[2];
      const x1 = ends[at + 4] - middle[0], y1 = ends[at + 5] - middle[1], z1 = ends[at + 6] - middle[2];
      const px0 = cx + scale * (r[0] * x0 + r[1] * y0 + r[2] * z0), py0 = cy - scale * (r[3] * x0 + r[4] * y0 + r[5] * z0);
      const px1 = cx + scale * (r[0] * x1 + r[1] * y1 + r[2] * z1), py1 = cy - scale * (r[3] * x1 + r[4] * y1 + r[5] * z1);
      const pz0 = -scale * (r[6] * x0 + r[7] * y0 + r[8] * z0), pz1 = -scale * (r[6] * x1 + r[7] * y1 + r[8] * z1);
      const radius = Math.max(thinnest, (ends[at + 3] + ends[at + 7]) / 4 * scale);
      const colour = this.rgbOf ? -1 : this.colourOf(i);
      const [red, green, blue] = this.rgbOf ? this.rgbOf(i)
        : colour < 0 ? grey : [colours[colour * 3], colours[colour * 3 + 1], colours[colour * 3 + 2]];
      this.capsule(i, px0, py0, pz0, px1, py1, pz1, radius, red, green, blue);
    }
  }

  /// A rod with round ends, lit from the front.
  capsule(piece, x0, y0, z0, x1, y1, z1, radius, red, green, blue) {
    const { width, height, words } = this.pixels;
    const reach = radius + 0.5;
    const left = Math.max(0, Math.floor(Math.min(x0, x1) - reach)), right = Math.min(width - 1, Math.ceil(Math.max(x0, x1) + reach));
    const top = Math.max(0, Math.floor(Math.min(y0, y1) - reach)), bottom = Math.min(height - 1, Math.ceil(Math.max(y0, y1) + reach));
    if (left > right || top > bottom) return;
    const { depth } = this, owners = this.owner.pieces;
    const dx = x1 - x0, dy = y1 - y0, dz = z1 - z0;
    const long = dx * dx + dy * dy;
    const inverse = long > 1e-12 ? 1 / long : 0;
    const square = radius * radius, per = 1 / radius;
    const flat = radius < 2;  // too thin for light and shade
    const most = reach * reach, inner = Math.max(0, radius - 0.5) ** 2;
    for (let y = top; y <= bottom; ++y) {
      const py = y + 0.5 - y0;
      // Of a slanted rod only the columns near to it.
      let from = left, to = right;
      if (Math.abs(dy) > 1e-6) {
        const before = x0 + dx * clamp((py - reach) / dy, 0, 1), behind = x0 + dx * clamp((py + reach) / dy, 0, 1);
        from = Math.max(left, Math.floor(Math.min(before, behind) - reach));
        to = Math.min(right, Math.ceil(Math.max(before, behind) + reach));
      }
      for (let x = from, at = y * width + from; x <= to; ++x, ++at) {
        const px = x + 0.5 - x0;
        let part = (px * dx + py * dy) * inverse;
        part = part < 0 ? 0 : part > 1 ? 1 : part;
        const ox = px - part * dx, oy = py - part * dy;
        const off = ox * ox + oy * oy;
        if (off >= most) continue;
        const rise = off < square ? Math.sqrt(square - off) : 0;
        const z = z0 + part * dz - rise;
        if (z >= depth[at]) continue;
        const light = flat ? 1 : 0.66 + 0.34 * rise * per;
        const colour = (255 << 24 | blue * light << 16 | (green * light & 255) << 8 | red * light & 255) >>> 0;
        const cover = off > inner ? reach - Math.sqrt(off) : 1;
        if (cover < 0.996) words[at] = blend(words[at], colour, cover);  // a soft edge
        else words[at] = colour;
        if (cover < 0.5) continue;
        depth[at] = z;
        owners[at] = piece;
      }
    }
  }

  drawScale(ratio, width) {
    const context = this.context;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const um = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000].findLast((v) => v * this.scale <= width * 0.25) ?? 1;
    context.strokeStyle = context.fillStyle = theme.colours.ink;
    context.lineWidth = 1.5;
    const y = this.height - 18;
    context.beginPath();
    context.moveTo(16, y - 4);
    context.lineTo(16, y);
    context.lineTo(16 + um * this.scale, y);
    context.lineTo(16 + um * this.scale, y - 4);
    context.stroke();
    context.font = `12px ${plotFont}`;
    context.textAlign = "left";
    context.textBaseline = "bottom";
    context.fillText(`${um} µm`, 16, y - 6);
    context.setTransform(1, 0, 0, 1, 0, 0);
  }
}

/// Cells as balls where they lie. populations: [{ places, cells }], cells: a number each. readOut(population, cell)
const treeOfPlaces = (populations, label, readOut) => {
  const ends = [], elements = [], branches = [];
  populations.forEach(({ places, cells }, number) => cells.forEach((cell, i) => {
    const place = [places[3 * i], places[3 * i + 1], places[3 * i + 2], 0];
    ends.push(...place, ...place);
    elements.push(number);
    branches.push(cell);
  }));
  const tree = new Tree({ ends: Float32Array.from(ends), elements, branches }, label);
  tree.thinnest = clamp(60 / Math.sqrt(Math.max(1, elements.length)), 1.6, 5);
  tree.readOut = (piece) => [...readOut(elements[piece], branches[piece], piece),
    `${[0, 1, 2].map((axis) => short(ends[piece * 8 + axis])).join(", ")} µm`];
  return tree;
};

/// A slider over frames, which play. show(frame) -> its time in words.
class Player {
  constructor(name, show) {
    Object.assign(this, { show, frame: 0, frames: 1 });
    this.slider = make("input", { type: "range", min: 0, value: 0, step: 1, "aria-label": `Time of ${name}`,
      oninput: () => this.turnTo(Number(this.slider.value)) });
    this.time = make("output", { class: "time" });
    this.playButton = button("Play", "play through time", () => this.play());
  }

  element(...more) {
    return make("div", { class: "player" }, this.playButton, this.slider, this.time, ...more);
  }

  turnTo(frame, frames = this.frames) {
    this.frames = Math.max(1, frames);
    this.frame = clamp(frame, 0, this.frames - 1);
    this.playButton.hidden = this.slider.hidden = this.frames === 1;
    this.slider.max = this.frames - 1;
    this.slider.value = this.frame;
    this.time.textContent = this.show(this.frame);
    this.slider.setAttribute("aria-valuetext", this.time.textContent);
  }

  play() {
    this.isPlaying = !this.isPlaying;
    this.playButton.textContent = this.isPlaying ? "Pause" : "Play";
    let last = 0;
    const step = (now) => {
      if (!this.isPlaying) return;
      if (now - last >= 33) {
        last = now;
        this.turnTo((this.frame + 1) % this.frames);
      }
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }
}

/// A tree of a report, which plays.
class RecordedTree {
  constructor(report, x, axis) {
    Object.assign(this, { report, x, axis });
    this.holder = make("div");
    this.player = new Player(report.name, () => this.show());
    this.select = make("select", { "aria-label": "Cell", onchange: () => this.load(Number(this.select.value)) },
      ...report.trees.map((tree, i) => make("option", { value: i }, tree.label)));
    this.note = make("p", { class: "note" });
    this.cells = report.trees.map(() => null);
    const spans = report.trees.map(({ low, high }) => [low, high]);
    this.low = Math.min(...spans.map(([low]) => low));
    this.high = Math.max(...spans.map(([, high]) => high));
    if (!(this.low < this.high)) [this.low, this.high] = [this.low - 1, this.high + 1];
    this.load(0);
    this.player.turnTo(this.mostVaried());
  }

  get frame() {
    return this.player.frame;
  }

  /// The frame whose values are farthest apart.
  mostVaried() {
    const { values, rows } = this.tree;
    const { elements } = this.told;
    let best = 0, widest = -1;
    for (let frame = 0; frame < rows.length; ++frame) {
      let least = 65535, most = 0;
      for (let i = frame * elements; i < (frame + 1) * elements; ++i)
        if (values[i] !== 65535) {
          if (values[i] < least) least = values[i];
          if (values[i] > most) most = values[i];
        }
      if (most - least > widest) [best, widest] = [frame, most - least];
    }
    return best;
  }

  load(number) {
    const tree = this.report.trees[number];
    this.tree = this.cells[number] ??= {
      ends: blob(tree.ends, Float32Array),
      elements: blob(tree.piece_elements, Int32Array),
      branches: blob(tree.piece_branches, Uint32Array),
      elementBranches: blob(tree.element_branches, Uint32Array),
      positions: blob(tree.element_positions, Float32Array),
      rows: blob(tree.frame_rows, Uint32Array),
      values: blob(tree.values, Uint16Array),
    };
    this.told = tree;
    if (!this.drawn) {
      this.drawn = new Tree(this.tree, `Shape with ${this.report.name}`);
      this.drawn.colourOf = (piece) => this.colourOf(piece);
      this.drawn.readOut = (piece) => this.readOut(piece);
      this.holder.append(this.drawn.element);
    } else {
      Object.assign(this.drawn, { ends: this.tree.ends, elements: this.tree.elements, branches: this.tree.branches, count: this.tree.elements.length });
      this.drawn.measure();
    }
    this.note.textContent = `${plural(tree.elements, "recorded location")}; each piece has the colour of the nearest on its branch` +
      (this.tree.elements.includes(-1) ? ", grey branches have none." : ".") +
      (tree.drawn_up ? " The branches were given by length and diameter, so how they lie is drawn up." : "");
    this.player.turnTo(this.frame, this.tree.rows.length);
  }

  get ms() {
    return this.report.start_ms + (this.tree.rows[this.frame] ?? 0) * this.report.every_ms;
  }

  show() {
    this.x.point(this.ms);
    drawing.mark(this.drawn);
    return this.axis.text(this.ms, this.x.max - this.x.min);
  }

  value(element) {
    const q = element < 0 ? 65535 : this.tree.values[this.frame * this.told.elements + element] ?? 65535;
    return q === 65535 ? null : this.told.low + q / 65534 * (this.told.high - this.told.low);
  }

  colourOf(piece) {
    const value = this.value(this.tree.elements[piece]);
    return value === null ? -1 : (value - this.low) / (this.high - this.low) * 255 | 0;
  }

  readOut(piece) {
    const element = this.tree.elements[piece];
    const name = this.told.branch_names[this.tree.branches[piece]] ?? "";
    if (element < 0) return [name, "nothing recorded here"];
    const value = this.value(element);
    return [`${name}(${short(this.tree.positions[element])})`, value === null ? "no value" : `${short(value)} ${this.report.units}`, this.player.time.textContent];
  }
}
