// The page of a run, put together.

const stateWords = {
  complete: ["Complete", "good"],
  running: ["Still running", "warn"],
  interrupted: ["Interrupted", "warn"],
  failed: ["Failed", "bad"],
  unknown: ["Files of another program", "warn"],
};

const facts = (summary) => {
  if (summary.status === "unknown") return null;
  const advance = summary.timings.find(({ name }) => name === "advance")?.seconds;
  const total = summary.timings.reduce((sum, { seconds: s }) => sum + s, 0);
  const list = [
    ["Cells", count(summary.cells), summary.compartments > summary.cells ? plural(summary.compartments, "compartment") : ""],
    ["Spikes recorded", count(summary.spikes), ""],
    ["Biological time", duration(summary.planned_ms), summary.dt_ms > 0 ? `steps of ${short(summary.dt_ms)} ms` : ""],
  ];
  if (summary.timings.length > 0)
    list.push(["Time it took", seconds(total), advance > 0 && summary.status === "complete"
      ? `${short(advance / (summary.planned_ms / 1000))} s for each biological second` : ""]);
  list.push(["Ran on", summary.where, ""]);
  return factList(list);
};

const head = (summary) => {
  const [word, kind] = stateWords[summary.status] ?? [summary.status, "warn"];
  const when = summary.start ? new Date(summary.start) : null;
  return make("header", { class: "top" },
    brandLine("report of a run"),
    make("div", { class: "line" }, make("h1", {}, data.title), make("span", { class: `state ${kind}` }, word)),
    when && !Number.isNaN(when.getTime()) ? make("p", { class: "note" }, `Begun ${summary.start.replace("T", " ").replace("Z", " UTC")}`) : null,
    summary.error ? make("p", { class: "alert" }, summary.error) : null,
    summary.status !== "complete" && summary.status !== "unknown" ? make("p", { class: "alert" },
      `This run is not complete: what is shown ends at ${duration(data.stop_ms)} of ${duration(summary.planned_ms)}, as far as its files had come.`) : null,
    facts(summary));
};

const timings = (summary) => {
  const most = Math.max(1e-9, ...summary.timings.map(({ seconds: s }) => s));
  const about = { read: "reading the model", build: "making the network", initialise: "first states", advance: "waiting for the cells",
    exchange: "bringing spikes to cells", record: "handing output over", save: "checkpoints", write: "completing the files" };
  return card({ id: "timings", title: "Timings", body: make("div", { class: "bars" },
    ...summary.timings.filter(({ seconds: s }) => s > 0).map(({ name, seconds: s }) => {
      const bar = make("i");
      bar.style.width = `${s / most * 100}%`;
      return make("div", {}, make("span", {}, name, about[name] ? make("small", {}, about[name]) : null), make("b", {}, bar), make("span", { class: "number" }, seconds(s)));
    })) });
};

const provenance = (summary) => {
  const { model_text: model, inputs } = data.provenance;
  return card({ id: "provenance", title: "Provenance", body: [
    table([...summary.texts, ...(inputs ?? []).map(([name, hash]) => [`SHA-256 of ${name}`, hash])]),
    model ? make("details", {}, make("summary", {}, "The model file"), make("pre", {}, model)) : null] });
};

/// Populations by name, which switch them on and off everywhere.
const populationTable = (bands, toggle) =>
  card({ id: "populations", title: "Populations", how: "A name switches its population on and off in all plots.", body:
    table(bands.map((band) => {
      const name = make("button", { type: "button", class: "chip", "data-population": band.number, "aria-pressed": "true", onclick: () => {
        band.isShown = !band.isShown;
        name.setAttribute("aria-pressed", String(band.isShown));
        toggle(band);
      } }, band.name);
      return [name, band.cell || "–", count(band.recorded), count(band.spikes), band.mean_rate === undefined ? "–" : `${short(band.mean_rate)} Hz`,
        band.recorded > 0 ? `${short(band.silent / band.recorded * 100)} %` : "–"];
    }), ["Population", "Cell", "Cells recorded", "Spikes", "Mean rate", "Silent cells"]) });

const spikeCards = (x, axis) => {
  const bands = data.populations.map((population, i) => new SpikeBand(population, i, data.start_ms, data.stop_ms));
  if (bands.length === 0) return [list("raster", "Spikes", [], "No spikes were recorded.")];
  const raster = new Raster(bands, x, axis);
  const rates = new Rates(bands, x, axis);
  const distributions = [
    new Distribution({ bands, name: "rates", label: "Rates of cells", xLabel: "Spikes a second (Hz)", of: "cells" }),
    new Distribution({ bands, name: "intervals", label: "Intervals between a cell's spikes", xLabel: "Interval (ms)", of: "intervals" }),
    new Distribution({ bands, name: "variations", label: "Variation of a cell's intervals", xLabel: "Standard deviation / mean (CV)", of: "cells" })];
  const rhythms = rhythmsOf(bands);
  const activity = bands.some((band) => band.placed !== undefined) ? new Activity(bands, x, axis) : null;
  const toggle = (band) => {
    raster.show(band.number, band.isShown);
    drawing.mark(rates.plot);
    if (activity) drawing.mark(activity.tree);
    for (const one of [...distributions, ...rhythms]) drawing.mark(one.plot);
  };
  const kept = bands.some((band) => band.every_cell > 1 || band.every_spike > 1);
  window.hillock.raster = raster;
  window.hillock.rates = rates;
  Object.assign(window.hillock, { distributions, rhythms, activity, spectrumOf, correlogramOf });
  return [
    populationTable(bands, toggle),
    card({ id: "raster", title: "Spikes", tools: raster.plot.tools(), body: raster.plot.element,
      note: kept ? "A part of all spikes: see what is left out, at the end." : null,
      how: "Drag to move, Ctrl + wheel or pinch to zoom; with Shift, cells." }),
    card({ id: "rates", title: "Rates of populations", tools: make("div", { class: "row" }, rates.select(), rates.plot.tools()), body: rates.plot.element }),
    ...activity ? [activity.card()] : [],
    card({ id: "distributions", title: "Distributions", note: "Over the cells whose spikes were recorded; CV of cells with five spikes or more.",
      body: make("div", { class: "three" }, ...distributions.map((one) =>
        make("figure", {}, make("figcaption", {}, one.label), one.isEmpty ? make("p", { class: "note" }, "too few spikes") : one.plot.element))) }),
    ...rhythms.length > 0 ? [card({ id: "rhythms", title: "Rhythms", note: "Of populations with 50 spikes or more, over the whole run; the correlogram leaves out its peak at no lag.",
      body: make("div", { class: "three" }, ...rhythms.map((one) => make("figure", {}, make("figcaption", {}, one.plot.label), one.plot.element))) })] : []];
};

const reportCards = (x, axis) => data.reports.flatMap((report, number) => {
  const set = new TraceSet(report);
  const cards = [];
  const of = report.population ? `${report.population}: ${plural(report.columns, "trace")} of ${plural(report.cells, "cell")}` : report.units === "nA um" ? "x, y and z" : plural(report.columns, "contact");
  const noted = `${of}, a sample every ${short(report.every_ms)} ms`;
  if (set.count > 0 && set.rows > 0) {
    const lines = new TraceLines(set, x, axis);
    const image = set.count > lines.most ? new TraceImage(set, lines, x, axis) : null;
    window.hillock.traces.push({ set, lines, image });
    cards.push(card({ id: `report-${number}`, title: report.name, note: noted + (set.isPaired ? `; of every ${count(set.samples_per_bin)} samples the least and the greatest` : "") +
        (image ? ". Below, all as an image, coloured by the greatest in a pixel" : ""),
      how: image ? "A click in the image shows a trace's line." : null,
      tools: make("div", { class: "row" }, lines.tools(), lines.plot.tools()),
      body: [lines.plot.element, lines.legend, ...(image ? [image.plot.element, image.bar] : [])] }));
  } else {
    cards.push(list(`report-${number}`, report.name, [], "Nothing was recorded."));
  }
  if (report.trees.length > 0) {
    const tree = new RecordedTree(report, x, axis);
    window.hillock.trees.push(tree);
    cards.push(card({ id: `shape-${number}`, title: `${report.name} in 3D`, tools: tree.drawn.tools(),
      how: "Drag to turn, with Shift to move; Ctrl + wheel or pinch to zoom.", body: [
        tree.holder,
        tree.player.element(report.trees.length > 1 ? tree.select : null),
        colourBar(tree.low, tree.high, `${report.name} (${report.units || "1"})`), tree.note] }));
  } else if (report.cells > 0 && report.population) {
    cards.at(-1).append(make("p", { class: "note" }, report.has_shape
      ? "Not drawn in 3D: of no cell several locations were recorded, or of each too many."
      : "Not drawn in 3D: the file holds no shape of these cells (they have none, or each its own, or what was recorded does not lie on it)."));
  }
  return [...cards, ...contactCards(set, number, x, axis)];
});

const begin = () => {
  Object.assign(window.hillock, { traces: [], trees: [], depths: [], contacts: [] });
  const { summary } = data;
  const x = new View(data.start_ms, data.stop_ms, Math.min(data.stop_ms - data.start_ms, Math.max(1e-3, summary.dt_ms)));
  window.hillock.time = x;
  const axis = timeAxis(data.stop_ms);
  const cards = [
    ...spikeCards(x, axis), ...reportCards(x, axis), timings(summary), provenance(summary),
    list("warnings", "Warnings", [...summary.warnings, ...data.problems], "None."),
    list("left-out", "What is left out", data.left_out, "Nothing: this page has every spike and every sample.")];
  showPage(head(summary), cards);
};

begin();
