// What all parts of a page use: its data, elements, numbers as words, colours, and when to draw.

const data = JSON.parse(document.getElementById("data").textContent);

/// An array that the page carries; it is taken out of the page, so each can be asked for once.
const blob = (number, Type) => {
  const element = document.getElementById(`blob-${number}`);
  const text = element.textContent;
  element.remove();
  let bytes;
  if (Uint8Array.fromBase64) {
    bytes = Uint8Array.fromBase64(text);
  } else {
    const binary = atob(text);
    bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  }
  return new Type(bytes.buffer, 0, bytes.length / Type.BYTES_PER_ELEMENT | 0);
};

/// An element with properties and children; texts become text and nothing else.
const make = (tag, properties = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
};

const button = (text, label, action, more = {}) =>
  make("button", { type: "button", "aria-label": label, title: label, onclick: action, ...more }, text);

const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

// ---- numbers as words

const minus = (text) => text.replace("-", "\u2212");
const grouped = (whole) => String(whole).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
const count = (whole) => (whole < 10000 ? String(whole) : grouped(whole));

/// Four significant digits.
const short = (value) => {
  if (value === null || !Number.isFinite(value)) return "–";
  if (value !== 0 && (Math.abs(value) >= 1e6 || Math.abs(value) < 1e-3))
    return minus(value.toExponential(2).replace("e+", "e"));
  const text = value.toPrecision(4);
  return minus(text.includes(".") ? text.replace(/\.?0+$/, "") : String(Number(text)));
};

const plural = (number, one, many = one + "s") => `${count(number)} ${number === 1 ? one : many}`;

const duration = (ms) => (ms >= 1000 ? `${short(ms / 1000)} s` : `${short(ms)} ms`);
const seconds = (s) => (s >= 120 ? `${short(s / 60)} min` : s >= 1 ? `${short(s)} s` : `${short(s * 1000)} ms`);

/// Steps of 1, 2 or 5 times a power of ten between two numbers, and as text with as many digits as
/// they need.
const ticksBetween = (low, high, most) => {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return { values: [low], text: (v) => short(v) };
  const rough = span / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((s) => s * power >= rough * 0.999) * power;
  const digits = clamp(-Math.floor(Math.log10(step) + 1e-9), 0, 12);
  const values = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) values.push(i * step);
  const isLarge = Math.max(Math.abs(low), Math.abs(high)) >= 1e7;
  return {
    values,
    step,
    text: (v) => (isLarge ? short(v) : minus((Math.abs(v) < step / 2 ? 0 : v).toFixed(digits))),
  };
};

// ---- colours

// Okabe and Ito (2008), in an order that stands out from the page, and a grey.
const populationColours = {
  light: ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#888888"],
  dark: ["#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#F0E442", "#D55E00", "#0072B2", "#AAAAAA"],
};

// Viridis (van der Walt and Smith 2015), every sixteenth of its values.
const viridisStops = [
  "#440154", "#48186a", "#472d7b", "#424086", "#3b528b", "#33638d", "#2c728e", "#26828e", "#21918c",
  "#1fa088", "#28ae80", "#3fbc73", "#5ec962", "#84d44b", "#addc30", "#d8e219", "#fde725"];

const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
const packed = (r, g, b) => (255 << 24 | b << 16 | g << 8 | r) >>> 0;
const mixed = (from, to, part) => from.map((c, i) => c + (to[i] - c) * part);

/// [256 * 3] bytes, of the part that stands out from a theme's page.
const viridisOf = (from, to) => {
  const table = new Uint8Array(768);
  for (let i = 0; i < 256; ++i) {
    const at = (from + i / 255 * (to - from)) * (viridisStops.length - 1);
    const stop = Math.min(viridisStops.length - 2, Math.floor(at));
    const colour = mixed(rgb(viridisStops[stop]), rgb(viridisStops[stop + 1]), at - stop);
    table.set(colour.map(Math.round), i * 3);
  }
  return {
    bytes: table,
    words: Uint32Array.from({ length: 256 }, (_, i) => packed(table[i * 3], table[i * 3 + 1], table[i * 3 + 2])),
  };
};
const viridis = { light: viridisOf(0, 0.96), dark: viridisOf(0.14, 1) };

const theme = {
  wish: "auto",  // or "light", "dark"
  name: "light",
  colours: {},
  system: matchMedia("(prefers-color-scheme: dark)"),
  isPrinted: false,
  apply() {
    const dark = this.wish === "auto" ? this.system.matches : this.wish === "dark";
    this.name = dark && !this.isPrinted ? "dark" : "light";
    document.documentElement.dataset.theme = this.name;
    const style = getComputedStyle(document.documentElement);
    for (const name of ["surface", "ink", "muted", "rule", "grid", "accent"])
      this.colours[name] = style.getPropertyValue(`--${name}`).trim();
    for (const element of document.querySelectorAll("[data-population]"))
      element.style.setProperty("--colour", this.population(Number(element.dataset.population)));
    drawing.all();
  },
  get viridis() {
    return viridis[this.name];
  },
  population(number) {
    const colours = populationColours[this.name];
    return colours[number % colours.length];
  },
};

// ---- when to draw: once a frame, what has changed and is seen

const drawing = {
  parts: new Set(),
  waiting: false,
  frames: [],  // milliseconds that each took
  add(part) {
    this.parts.add(part);
    part.isSeen = true;
    this.observer.observe(part.element);
    this.sizes.observe(part.element);
  },
  all() {
    for (const part of this.parts) part.isDirty = true;
    this.later();
  },
  mark(part) {
    part.isDirty = true;
    this.later();
  },
  later() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.now();
    });
  },
  now(everything = false) {
    const begin = performance.now();
    for (const part of this.parts)
      if (part.isDirty && (part.isSeen || everything)) {
        part.isDirty = false;
        part.draw();
      }
    this.frames.push(performance.now() - begin);
    if (this.frames.length > 1000) this.frames.shift();
  },
  observer: new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const part = target.drawnBy;
      part.isSeen = isIntersecting;
      if (isIntersecting && part.isDirty) drawing.later();
    }
  }, { rootMargin: "200px" }),
  sizes: new ResizeObserver((entries) => {
    for (const { target } of entries) drawing.mark(target.drawnBy);
  }),
};
