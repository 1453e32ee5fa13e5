// Plots with axes that zoom and pan by mouse, touch and keyboard. What is plotted is painted into an
// image of pixels; axes are drawn around it.

/// A part of an axis: what is seen of [min, max]. Plots with the same view go together.
class View {
  constructor(min, max, least) {
    Object.assign(this, { min, max, least: Math.min(least, max - min), lo: min, hi: max });
    this.listeners = new Set();
    this.cursor = null;  // where the pointer is in any of its plots, or a slider's place
  }

  set(lo, hi) {
    const span = clamp(hi - lo, this.least, this.max - this.min);
    const from = clamp((lo + hi - span) / 2, this.min, this.max - span);
    if (from === this.lo && from + span === this.hi) return;
    this.lo = from;
    this.hi = from + span;
    for (const told of this.listeners) told();
  }

  zoom(factor, at = (this.lo + this.hi) / 2) {
    this.set(at - (at - this.lo) * factor, at + (this.hi - at) * factor);
  }

  pan(part) {
    const by = clamp((this.hi - this.lo) * part, this.min - this.lo, this.max - this.hi);
    this.set(this.lo + by, this.hi + by);
  }

  reset() {
    this.set(this.min, this.max);
  }

  get isWhole() {
    return this.lo === this.min && this.hi === this.max;
  }

  point(cursor) {
    this.cursor = cursor;
    for (const told of this.listeners) told(true);
  }
}

/// Pixels of a plot's inside. Colours are packed; y goes down.
class Pixels {
  constructor(width, height) {
    this.data = new ImageData(width, height);
    this.words = new Uint32Array(this.data.data.buffer);
    this.width = width;
    this.height = height;
  }

  clear(colour) {
    this.words.fill(colour);
  }

  /// One column of a line from y `from` to y `to` (any order), `thick` pixels thick, with soft ends.
  span(x, from, to, thick, colour) {
    const half = thick / 2;
    const top = Math.max(0, Math.min(from, to) - half);
    const bottom = Math.min(this.height, Math.max(from, to) + half);
    if (!(top < bottom)) return;
    const first = Math.floor(top);
    const last = Math.min(this.height - 1, Math.ceil(bottom) - 1);
    let at = first * this.width + x;
    for (let y = first; y <= last; ++y, at += this.width) {
      const cover = Math.min(y + 1, bottom) - Math.max(y, top);
      this.words[at] = cover >= 0.996 ? colour : blend(this.words[at], colour, cover);
    }
  }

  vertical(x, colour) {
    for (let y = 0, at = x; y < this.height; ++y, at += this.width) this.words[at] = colour;
  }

  horizontal(y, colour) {
    this.words.fill(colour, y * this.width, (y + 1) * this.width);
  }
}

const blend = (under, over, part) => {
  const p = part * 256 | 0;
  const rb = ((under & 0xff00ff) * (256 - p) + (over & 0xff00ff) * p) >>> 8 & 0xff00ff;
  const g = ((under & 0xff00) * (256 - p) + (over & 0xff00) * p) >>> 8 & 0xff00;
  return (0xff000000 | rb | g) >>> 0;
};

const pixelRatio = () => Math.min(2, window.devicePixelRatio || 1);

/// What pointers, wheel and keys do to a part of the page. `moves` has drag(dx, dy, event),
/// zoom(factor, x, y, isOfY), over(x, y) or over(null), tap(x, y), key(name) -> whether it was one.
const listen = (element, moves) => {
  const fingers = new Map();
  let travelled = 0;
  const place = (event) => {
    const box = element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  element.addEventListener("pointerdown", (event) => {
    if (event.button > 0) return;
    if (fingers.size === 0) travelled = 0;
    fingers.set(event.pointerId, place(event));
    element.setPointerCapture(event.pointerId);
  });
  element.addEventListener("pointermove", (event) => {
    const now = place(event);
    const before = fingers.get(event.pointerId);
    if (!before) {
      moves.over(...now);
      return;
    }
    if (fingers.size === 1) {
      travelled += Math.hypot(now[0] - before[0], now[1] - before[1]);
      moves.drag(now[0] - before[0], now[1] - before[1], event);
      if (event.pointerType === "mouse") moves.over(...now);
    } else if (fingers.size === 2) {
      const [, other] = [...fingers].find(([id]) => id !== event.pointerId);
      const gap = ([x, y]) => [Math.abs(x - other[0]), Math.abs(y - other[1])];
      const was = gap(before), is = gap(now);
      const ofY = is[1] > is[0];
      const axis = ofY ? 1 : 0;
      if (was[axis] > 8 && is[axis] > 8)
        moves.zoom(was[axis] / is[axis], (now[0] + other[0]) / 2, (now[1] + other[1]) / 2, ofY);
      travelled = 99;
    }
    fingers.set(event.pointerId, now);
  });
  const up = (event) => {
    if (!fingers.delete(event.pointerId)) return;
    if (event.type === "pointerup" && fingers.size === 0 && travelled < 5) moves.tap(...place(event), event);
  };
  element.addEventListener("pointerup", up);
  element.addEventListener("pointercancel", up);
  element.addEventListener("pointerleave", () => moves.over(null));
  element.addEventListener("wheel", (event) => {
    // The page scrolls unless a plot was asked for: by Ctrl, or by having it chosen.
    if (!event.ctrlKey && !event.metaKey && document.activeElement !== element) {
      moves.hint?.();
      return;
    }
    event.preventDefault();
    const by = event.deltaY || event.deltaX;
    moves.zoom(1.0015 ** clamp(event.deltaMode === 1 ? by * 30 : by, -400, 400), ...place(event), event.shiftKey);
  }, { passive: false });
  element.addEventListener("dblclick", (event) => moves.zoom(0.5, ...place(event), event.shiftKey));
  element.addEventListener("keydown", (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.altKey && moves.key(event.key, event)) event.preventDefault();
  });
};

class Plot {
  /// options: label, height, x and y (a View; y may be a function that gives [lo, hi]), xLabel,
  /// yLabel, xTicks, yTicks, paint(plot, pixels), readOut(x, y) -> lines, choose(x, y), left.
  constructor(options) {
    Object.assign(this, options);
    this.canvas = make("canvas", { tabindex: 0, role: "img", "aria-label": `${this.label}. Arrow keys move, plus and minus zoom, 0 shows all.` });
    this.line = make("div", { class: "cursor", hidden: true });
    this.bubble = make("div", { class: "bubble", hidden: true });
    this.hintBox = make("div", { class: "hint", hidden: true }, "Ctrl + wheel zooms, or click first");
    this.element = make("div", { class: "plot" }, this.canvas, this.line, this.bubble, this.hintBox);
    this.element.drawnBy = this;
    this.element.style.height = `${this.height}px`;
    this.context = this.canvas.getContext("2d", { willReadFrequently: true });
    this.inside = { left: 60, top: 10, width: 1, height: 1 };
    this.x.listeners.add((isCursor) => (isCursor ? this.placeCursor() : drawing.mark(this)));
    if (this.y instanceof View) this.y.listeners.add(() => drawing.mark(this));
    listen(this.canvas, {
      drag: (dx, dy) => {
        this.x.pan(-dx / this.inside.width);
        if (this.y instanceof View) this.y.pan((this.goesDown ? -dy : dy) / this.inside.height);
      },
      zoom: (factor, x, y, isOfY) => this.zoomAt(factor, x, y, isOfY),
      over: (x, y) => this.pointAt(x, y),
      tap: (x, y, event) => {
        this.canvas.focus({ preventScroll: true });
        if (event.pointerType !== "mouse") this.pointAt(x, y);
        if (this.choose && this.isInside(x, y)) this.choose(this.xAt(x), this.yAt(y));
      },
      key: (key, event) => this.press(key, event.shiftKey),
      hint: () => this.showHint(),
    });
    drawing.add(this);
  }

  /// Buttons for what else takes a wheel or keys.
  tools() {
    const yTools = this.y instanceof View
      ? [button("⇕+", `${this.label}: stretch vertically`, () => this.y.zoom(0.5)),
         button("⇕−", `${this.label}: shrink vertically`, () => this.y.zoom(2))]
      : [];
    return make("div", { class: "tools", role: "group", "aria-label": `${this.label}: zoom` },
      button("←", `${this.label}: earlier`, () => this.x.pan(-0.25)),
      button("→", `${this.label}: later`, () => this.x.pan(0.25)),
      button("−", `${this.label}: zoom out`, () => this.x.zoom(2)),
      button("+", `${this.label}: zoom in`, () => this.x.zoom(0.5)),
      ...yTools,
      button("All", `${this.label}: show all`, () => this.press("0")));
  }

  press(key, isShifted) {
    const y = this.y instanceof View ? this.y : null;
    if (key === "ArrowLeft") this.x.pan(-0.1);
    else if (key === "ArrowRight") this.x.pan(0.1);
    else if (key === "ArrowUp" && y) y.pan(this.goesDown ? -0.1 : 0.1);
    else if (key === "ArrowDown" && y) y.pan(this.goesDown ? 0.1 : -0.1);
    else if (key === "+" || key === "=" || key === "*") (isShifted && y && key === "*" ? y : this.x).zoom(0.7);
    else if (key === "-") this.x.zoom(1 / 0.7);
    else if (key === "0" || key === "Home") {
      this.x.reset();
      y?.reset();
    } else return false;
    return true;
  }

  showHint() {
    this.hintBox.hidden = false;
    clearTimeout(this.hintTimer);
    this.hintTimer = setTimeout(() => (this.hintBox.hidden = true), 1200);
  }

  xAt(pixel) {
    return this.x.lo + (pixel - this.inside.left) / this.inside.width * (this.x.hi - this.x.lo);
  }
  yAt(pixel) {
    const [lo, hi] = this.yRange;
    const part = (pixel - this.inside.top) / this.inside.height;
    return this.goesDown ? lo + part * (hi - lo) : hi - part * (hi - lo);
  }
  isInside(x, y) {
    const { left, top, width, height } = this.inside;
    return x >= left && x <= left + width && y >= top && y <= top + height;
  }
  get yRange() {
    return this.y instanceof View ? [this.y.lo, this.y.hi] : this.lastRange ?? [0, 1];
  }

  zoomAt(factor, x, y, isOfY) {
    if (isOfY && this.y instanceof View) this.y.zoom(factor, this.yAt(y));
    else this.x.zoom(factor, this.xAt(x));
  }

  pointAt(x, y) {
    if (x === null || !this.isInside(x, y)) {
      this.bubble.hidden = true;
      if (this.isPointed) this.x.point(null);
      this.isPointed = false;
      return;
    }
    this.isPointed = true;
    this.pointer = [x, y];
    const at = this.xAt(x);
    this.x.point(at);
    const lines = this.readOut?.(at, this.yAt(y)) ?? [];
    this.bubble.hidden = lines.length === 0;
    if (lines.length === 0) return;
    this.bubble.replaceChildren(...lines.map((line) => (typeof line === "string" ? make("div", {}, line) : line)));
    const box = this.bubble.getBoundingClientRect();
    const room = this.element.clientWidth;
    const left = x + 14 + box.width > room ? x - 14 - box.width : x + 14;
    this.bubble.style.transform = `translate(${Math.max(0, left)}px, ${clamp(y - 10, 0, this.height - box.height)}px)`;
  }

  placeCursor() {
    const at = this.x.cursor;
    const isOut = at === null || at < this.x.lo || at > this.x.hi;
    this.line.hidden = isOut;
    if (isOut) return;
    const { left, top, width, height } = this.inside;
    const x = left + (at - this.x.lo) / (this.x.hi - this.x.lo) * width;
    this.line.style.transform = `translate(${x}px, ${top}px)`;
    this.line.style.height = `${height}px`;
  }

  draw() {
    const width = this.element.clientWidth, height = this.height;
    if (width < 40) return;
    const ratio = pixelRatio();
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const left = width < 480 ? Math.min(this.left, 58) : this.left, top = 10, bottom = 46;
    this.inside = { left, top, width: width - left - 14, height: height - top - bottom };
    const inner = [Math.max(1, Math.round(this.inside.width * ratio)), Math.max(1, Math.round(this.inside.height * ratio))];
    if (!this.pixels || this.pixels.width !== inner[0] || this.pixels.height !== inner[1])
      this.pixels = new Pixels(...inner);
    if (typeof this.y === "function") this.lastRange = this.y();
    const context = this.context;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = theme.colours.surface;
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    const xTicks = (this.xTicks ?? ((lo, hi, most) => ticksBetween(lo, hi, most)))(this.x.lo, this.x.hi, this.inside.width / 90);
    const [yLo, yHi] = this.yRange;
    const yTicks = this.yTicks ? this.yTicks(yLo, yHi, this.inside.height / 36) : ticksBetween(yLo, yHi, this.inside.height / 44);
    const xOf = (v) => (v - this.x.lo) / (this.x.hi - this.x.lo);
    const yOf = (v) => (this.goesDown ? v - yLo : yHi - v) / (yHi - yLo);
    this.paintInside(xTicks, yTicks, xOf, yOf);
    context.putImageData(this.pixels.data, Math.round(left * ratio), Math.round(top * ratio));
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawAxes(context, xTicks, yTicks, xOf, yOf);
    this.placeCursor();
    if (this.isPointed) this.pointAt(...this.pointer);  // what is under it now
  }

  paintInside(xTicks, yTicks, xOf, yOf) {
    const pixels = this.pixels;
    pixels.clear(packed(...rgb(theme.colours.surface)));
    const grid = packed(...rgb(theme.colours.grid));
    if (!this.hasNoGrid) {
      for (const v of xTicks.values) pixels.vertical(clamp(Math.round(xOf(v) * pixels.width), 0, pixels.width - 1), grid);
      for (const v of yTicks.values) pixels.horizontal(clamp(Math.round(yOf(v) * pixels.height), 0, pixels.height - 1), grid);
    }
    this.paint(this, pixels);
  }

  drawAxes(context, xTicks, yTicks, xOf, yOf) {
    const { left, top, width, height } = this.inside;
    context.font = `12px ${plotFont}`;
    context.fillStyle = theme.colours.muted;
    context.strokeStyle = theme.colours.rule;
    context.lineWidth = 1;
    context.strokeRect(left - 0.5, top - 0.5, width + 1, height + 1);
    context.textAlign = "center";
    context.textBaseline = "top";
    let last = -Infinity;
    for (const v of xTicks.values) {
      const x = left + xOf(v) * width;
      const text = xTicks.text(v);
      const half = context.measureText(text).width / 2;
      if (x - half < last + 8 || x + half > left + width + 13) continue;
      last = x + half;
      context.fillRect(Math.round(x), top + height, 1, 4);
      context.fillText(text, x, top + height + 8);
    }
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const v of yTicks.values) {
      const y = top + yOf(v) * height;
      context.fillRect(left - 4, Math.round(y), 4, 1);
      context.fillText(yTicks.text(v), left - 8, y);
    }
    context.fillStyle = theme.colours.ink;
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    if (this.xLabel) context.fillText(this.xLabel, left + width / 2, this.height - 6);
    for (const { text, at, colour } of this.yLabels?.() ?? [{ text: this.yLabel ?? "", at: 0.5 }]) {
      context.save();
      context.translate(13, top + at * height);
      context.rotate(-Math.PI / 2);
      context.fillStyle = colour ?? theme.colours.ink;
      context.fillText(text, 0, 0);
      context.restore();
    }
  }
}

const plotFont = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif';

/// Time in ms as axes show it: in seconds where a run is long.
const timeAxis = (stopMs) => {
  const inSeconds = stopMs >= 10000;
  const unit = inSeconds ? 1000 : 1;
  return {
    label: `Time (${inSeconds ? "s" : "ms"})`,
    ticks: (lo, hi, most) => {
      const ticks = ticksBetween(lo / unit, hi / unit, most);
      return { values: ticks.values.map((v) => v * unit), text: (v) => ticks.text(v / unit) };
    },
    text: (ms, span) => {
      const digits = clamp(2 - Math.floor(Math.log10(span / unit / 100)), 0, 9);
      return `${(ms / unit).toFixed(Math.max(0, digits - 1))} ${inSeconds ? "s" : "ms"}`;
    },
  };
};
