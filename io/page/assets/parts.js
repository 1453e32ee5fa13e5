// Parts that pages are put together from.

/// A card with a title, what is to be known of it, how it is used, tools and what it shows.
const card = ({ id, title, note, how, tools, body, more }) =>
  make("section", { class: "card", id, "aria-label": title },
    make("header", {}, make("div", {}, make("h2", {}, title), note ? make("p", { class: "note" }, note) : null,
      how ? make("p", { class: "note how" }, how) : null), tools),
    ...[body].flat(), more);

/// A series' name with its colour.
const chip = (number, text) => make("span", { class: "chip", "data-population": number }, text);

const themeSwitch = () => {
  const buttons = [["auto", "Auto"], ["light", "Light"], ["dark", "Dark"]].map(([wish, text]) =>
    make("button", { type: "button", "aria-pressed": String(wish === theme.wish), "data-wish": wish, onclick: () => {
      theme.wish = wish;
      for (const one of buttons) one.setAttribute("aria-pressed", String(one.dataset.wish === wish));
      theme.apply();
    } }, text));
  return make("div", { class: "switch", role: "group", "aria-label": "Colours of the page" }, ...buttons);
};

const table = (rows, headings) =>
  make("div", { class: "scroll" }, make("table", {},
    headings ? make("thead", {}, make("tr", {}, ...headings.map((text) => make("th", { scope: "col" }, text)))) : null,
    make("tbody", {}, ...rows.map((row) => make("tr", {}, make("th", { scope: "row" }, row[0]), ...row.slice(1).map((cell) => make("td", {}, cell)))))));

const list = (id, title, texts, none) =>
  card({ id, title, body: texts.length > 0 ? make("ul", { class: "texts" }, ...texts.map((text) => make("li", {}, text))) : make("p", { class: "note" }, none) });

const navigation = (cards) =>
  make("nav", { class: "contents", "aria-label": "Contents" }, ...cards.map((one) =>
    make("a", { href: `#${one.id}` }, one.getAttribute("aria-label"))));

const brandLine = (what) =>
  make("div", { class: "line" }, make("p", { class: "brand" }, "Hillock", make("span", {}, what)), themeSwitch());

/// [name, value, more] each.
const factList = (list) =>
  make("dl", { class: "facts" }, ...list.map(([name, value, more]) =>
    make("div", {}, make("dt", {}, name), make("dd", {}, value, more ? make("small", {}, more) : null))));

/// What tests and the curious may look at.
window.hillock = { theme, drawing, data, isReady: false };

/// Puts a page together and draws all of it.
const showPage = (head, cards) => {
  document.getElementById("page").append(head, navigation(cards), make("main", {}, ...cards),
    make("footer", {}, "Made by Hillock. Everything that this page shows is in this file."));
  theme.system.addEventListener("change", () => theme.apply());
  const print = (isPrinted) => () => {
    theme.isPrinted = isPrinted;
    theme.apply();
    drawing.now(true);
  };
  addEventListener("beforeprint", print(true));
  addEventListener("afterprint", print(false));
  theme.apply();
  drawing.now(true);
  window.hillock.readyAt = performance.now();  // since the page was asked for
  window.hillock.isReady = true;
};
