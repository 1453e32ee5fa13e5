// The page of a model before it runs, put together.

const viewHead = (cellCount, connectionCount) =>
  make("header", { class: "top" },
    brandLine("view of a model"),
    make("div", { class: "line" }, make("h1", {}, data.title), make("span", { class: "state warn" }, "Not run")),
    factList([
      ["Populations", count(data.populations.length), ""],
      ["Cells", count(cellCount), ""],
      ["Connections", approximate(connectionCount, data.projections.every((one) => one.is_exact)), plural(data.projections.length, "projection")],
      ["Biological time", duration(data.duration_ms), `steps of ${short(data.dt_ms)} ms`],
      ["Seed", String(data.seed), ""]]));

const approximate = (number, isExact) => (isExact ? "" : "≈ ") + count(Math.round(number));

const populationCard = (compartments) =>
  card({ id: "populations", title: "Populations", body:
    table(data.populations.map((population, i) => [
      chip(i, population.name), population.cell, count(population.size),
      population.has_shape ? count((compartments.get(population.cell) ?? 0) * population.size) : population.mechanism,
      population.places === undefined ? "at the origin" : "placed"]),
    ["Population", "Cell", "Cells", "Compartments, or mechanism", "Positions"]) });

/// Cells as balls where they lie.
const placeCard = () => {
  if (data.populations.every((population) => population.places === undefined)) return null;
  const placed = data.populations.map((population) => {
    const places = population.places === undefined ? [] : blob(population.places, Float32Array);
    return { places, cells: Array.from({ length: places.length / 3 }, (_, i) => i * population.every_cell) };
  });
  const tree = treeOfPlaces(placed, "Positions of cells", (population, cell) => [`${data.populations[population].name}[${cell}]`]);
  tree.rgbOf = (piece) => rgb(theme.population(tree.elements[piece]));
  window.hillock.places = tree;
  const every = Math.max(...data.populations.map((population) => population.every_cell ?? 1));
  return card({ id: "places", title: "Where cells lie", tools: tree.tools(), how: "Drag to turn, with Shift to move; Ctrl + wheel or pinch to zoom.",
    note: every > 1 ? `Every ${every}th cell is shown.` : null, body: [tree.element, legendOf(data.populations.map((p) => p.name))] });
};

const legendOf = (names) => make("div", { class: "legend flush" }, ...names.map((name, i) => chip(i, name)));

const weightText = (one) => {
  if (one.weight === undefined) return "–";
  if (one.weight_unit === "1") return short(one.weight);
  if (one.weight_unit !== "uS") return `${short(one.weight)} ${one.weight_unit}`.trim();
  return Math.abs(one.weight) < 0.1 ? `${short(one.weight * 1000)} nS` : `${short(one.weight)} µS`;
};
const delayText = (one) => (one.delay_ms === undefined ? "–" : `${short(one.delay_ms)} ms`);

/// Sources by targets; how many, how strong and how late.
const matrixCard = () => {
  const names = data.populations.map((population) => population.name);
  const cells = new Map();
  for (const one of data.projections) {
    const key = `${names.indexOf(one.from)} ${names.indexOf(one.to)}`;
    cells.set(key, [...cells.get(key) ?? [], one]);
  }
  const sources = names.filter((_, i) => names.some((__, j) => cells.has(`${i} ${j}`)));
  const targets = names.filter((_, j) => names.some((__, i) => cells.has(`${i} ${j}`)));
  const total = (list) => list.reduce((sum, one) => sum + one.count, 0);
  const most = Math.max(1, ...[...cells.values()].map(total));
  const body = make("table", { class: "matrix" },
    make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "from ↓  to →"), ...targets.map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...sources.map((from) => make("tr", {}, make("th", { scope: "row" }, from), ...targets.map((to) => {
      const list = cells.get(`${names.indexOf(from)} ${names.indexOf(to)}`);
      if (!list) return make("td", { class: "none" }, "·");
      const cell = make("td", {}, make("b", {}, approximate(total(list), list.every((one) => one.is_exact))),
        ...list.map((one) => make("small", {}, `${weightText(one)}, ${one.is_gap ? "gap junctions" : delayText(one)}`)));
      cell.style.setProperty("--part", `${6 + 52 * Math.sqrt(total(list) / most)}%`);
      return cell;
    })))));
  const projections = table(data.projections.map((one) => [
    one.name, `${one.from} → ${one.to}`, one.is_gap ? "gap junctions" : one.is_plastic ? "plastic synapses" : "synapses",
    approximate(one.count, one.is_exact), weightText(one), delayText(one)]),
  ["Projection", "From → to", "Of", "Connections", "Mean weight", "Mean delay"]);
  return card({ id: "matrix", title: "Connections", note: "How many, of what mean weight and delay. Weights and delays are the means of a sample; ≈ stands before what a rule makes by chance.",
    body: [make("div", { class: "scroll" }, body),
      make("details", { open: data.projections.length <= 12 }, make("summary", {}, plural(data.projections.length, "projection")), projections)] });
};

/// A distribution of each projection that has one of this name, switched on and off by names.
const projectionCard = ({ name, title, note, label, xLabel, of }) => {
  const some = data.projections.map((one, number) => ({ ...one, number, isShown: true })).filter((band) => band[name]);
  if (some.length === 0) return null;
  const plotted = new Distribution({ bands: some, name, label, xLabel, of });
  window.hillock[name] = plotted;
  const chips = some.map((band) => {
    const chosen = make("button", { type: "button", class: "chip", "data-population": band.number, "aria-pressed": "true", onclick: () => {
      band.isShown = !band.isShown;
      chosen.setAttribute("aria-pressed", String(band.isShown));
      drawing.mark(plotted.plot);
    } }, band.name);
    return chosen;
  });
  return card({ id: name, title, note, how: "A name switches its projection on and off.",
    tools: plotted.plot.tools(), body: [plotted.plot.element, make("div", { class: "legend wide" }, ...chips)] });
};

const delayCard = () => projectionCard({ name: "delays", title: "Delays", note: "Of a sample of each projection's connections.",
  label: "Delays of connections", xLabel: "Delay (ms)", of: "connections" });

const distanceCard = () => projectionCard({ name: "by_distance", title: "Connections by distance",
  note: "How many of the pairs of cells that are so far apart are connected, of a sample of each projection's targets.",
  label: "Connection probability", xLabel: "Distance (µm)", of: "pairs" });

/// A cell of one compartment: what is in it.
const ballCard = (cell, number) =>
  card({ id: `cell-${number}`, title: `Cell ${cell.name}`, note: "One compartment.",
    body: make("ul", { class: "texts" }, ...cell.layers.map((layer) => make("li", {}, layer.name))) });

/// A kind of cell in the colours of its regions, or with the places of one thing.
const cellCard = (cell, number) => {
  if (cell.compartments === 1) return ballCard(cell, number);
  const tree = new Tree({ ends: blob(cell.ends, Float32Array), elements: blob(cell.piece_elements, Int32Array),
    branches: blob(cell.piece_branches, Uint32Array) }, `Shape of ${cell.name}`);
  const regionOf = blob(cell.branch_regions, Uint16Array), positions = blob(cell.positions, Float32Array);
  const layers = cell.layers.map((layer) => ({ ...layer, has: new Set(blob(layer.elements, Int32Array)) }));
  let shown = null;
  tree.rgbOf = (piece) => (shown === null || shown.has.has(tree.elements[piece])
    ? rgb(shown === null ? theme.population(regionOf[tree.branches[piece]]) : theme.population(1))
    : mixed(rgb(theme.colours.muted), rgb(theme.colours.surface), 0.5));
  tree.readOut = (piece) => [`${cell.branch_names[tree.branches[piece]]}(${short(positions[tree.elements[piece]] ?? 0)})`, cell.regions[regionOf[tree.branches[piece]]],
    ...layers.filter((layer) => layer.has.has(tree.elements[piece])).slice(0, 10).map((layer) => layer.name)];
  const regions = legendOf(cell.regions);
  const select = make("select", { "aria-label": `What is shown on ${cell.name}`, onchange: () => {
    shown = layers[Number(select.value) - 1] ?? null;
    regions.hidden = shown !== null;
    drawing.mark(tree);
  } }, make("option", { value: 0 }, "regions"), ...layers.map((layer, i) => make("option", { value: i + 1 }, `${layer.name} (${plural(layer.count, "compartment")})`)));
  window.hillock.cells.push({ tree, select, layers });
  const notes = [
    `${plural(cell.branches, "branch", "branches")}, ${plural(cell.compartments, "compartment")}`,
    cell.is_drawn ? "a random tree: that of the first cell of all" : "",
    cell.drawn_up ? "its branches were given by length and diameter, so how they lie is drawn up" : ""].filter(Boolean);
  return card({ id: `cell-${number}`, title: `Cell ${cell.name}`, note: `${notes.join("; ")}.`, how: "Drag to turn; what is drawn at random may be at any place that is coloured.",
    tools: make("div", { class: "row" }, make("label", {}, "Show ", select), tree.tools()), body: [tree.element, regions] });
};

const beginView = () => {
  window.hillock.cells = [];
  const cellCount = data.populations.reduce((sum, population) => sum + population.size, 0);
  const connectionCount = data.projections.reduce((sum, one) => sum + one.count, 0);
  const compartments = new Map(data.cells.map((cell) => [cell.name, cell.compartments]));
  showPage(viewHead(cellCount, connectionCount), [
    populationCard(compartments), placeCard(), data.projections.length > 0 ? matrixCard() : null, delayCard(), distanceCard(), ...data.cells.map(cellCard),
    list("warnings", "Warnings", data.warnings, "None."),
    card({ id: "model", title: "The model file", body: make("pre", {}, data.model_text) })].filter(Boolean));
};

beginView();
