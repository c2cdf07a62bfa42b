// Tables sort and filter, steps and errors are walked by key. Without this script everything can be read as well.
"use strict";

// Long tables show the first rows of each group until asked for all, or for those that a filter finds

const MOST_ROWS = 24;
const LEAST_ROWS = 5;

const ownRows = (body) => [...body.rows].filter((row) => !row.classList.contains("group"));

const fold = (table) => {
  const bodies = [...table.tBodies];
  const all = bodies.flatMap(ownRows);
  const isFolded = table.dataset.folded === "yes" && !table.dataset.filtered;
  const most = Math.max(Math.floor(MOST_ROWS / bodies.length), LEAST_ROWS);
  for (const body of bodies) ownRows(body).forEach((row, place) => row.classList.toggle("beyond", isFolded && place >= most));
  const rest = table.closest(".scroll").nextElementSibling;
  if (!rest?.matches(".rest")) return;
  const shown = all.filter((row) => !row.hidden && !row.classList.contains("beyond")).length;
  rest.querySelector("span").textContent = shown === all.length ? "" : `${shown} of ${all.length} rows are shown${table.dataset.file ? `; all are in ${table.dataset.file}` : ""}.`;
};

const addFold = (table) => {
  const all = [...table.tBodies].flatMap(ownRows);
  // for a few rows more it is not worth a click
  if (all.length <= 1.5 * MOST_ROWS || table.matches(".headline")) return;
  table.dataset.folded = "yes";
  const rest = document.createElement("p");
  rest.className = "rest";
  const button = document.createElement("button");
  button.type = "button";
  button.className = "unfold";
  const said = document.createElement("span");
  const say = () => {
    const isFolded = table.dataset.folded === "yes";
    button.textContent = isFolded ? `Show all ${all.length} rows` : "Show the first rows";
    button.setAttribute("aria-expanded", String(!isFolded));
    fold(table);
  };
  button.addEventListener("click", () => {
    const isFolded = table.dataset.folded === "yes";
    table.dataset.folded = isFolded ? "no" : "yes";
    say();
    if (!isFolded) table.closest(".scroll").scrollIntoView({ block: "nearest" });
  });
  rest.append(button, said);
  table.closest(".scroll").after(rest);
  say();
  // where no group hides a row there is nothing to unfold
  if (!table.querySelector(".beyond")) rest.remove();
};

// Sorting

const valueOf = (row, column) => {
  const cell = row.cells[column];
  const text = cell.dataset.sort ?? cell.textContent.trim();
  const number = Number(text.replaceAll(",", ""));
  return text === "" || Number.isNaN(number) ? text.toLowerCase() : number;
};

const inOrder = (one, other) => {
  if (typeof one !== typeof other) return typeof one === "number" ? -1 : 1;
  return typeof one === "number" ? one - other : one.localeCompare(other);
};

const sortBy = (table, head) => {
  const column = head.cellIndex;
  // the first click on a number shows the largest on top
  const firstWay = head.classList.contains("number") ? "descending" : "ascending";
  const otherWay = firstWay === "descending" ? "ascending" : "descending";
  const way = head.getAttribute("aria-sort") === firstWay ? otherWay : firstWay;
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", way);
  const sign = way === "ascending" ? 1 : -1;
  for (const body of table.tBodies) {
    const rows = ownRows(body);
    const keyed = rows.map((row) => [valueOf(row, column), row]);
    // what is unknown comes last either way
    const known = keyed.filter(([value]) => value !== "");
    const unknown = keyed.filter(([value]) => value === "");
    known.sort(([one], [other]) => sign * inOrder(one, other));
    body.append(...[...known, ...unknown].map(([, row]) => row));
  }
  fold(table);
};

for (const table of document.querySelectorAll("table.sortable")) {
  for (const head of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sortBy(table, head));
    head.append(button);
  }
}

// Filtering

const FEW_ROWS = 8;

const addFilter = (table) => {
  const rows = [...table.tBodies].flatMap(ownRows);
  if (rows.length < FEW_ROWS) return;
  // a heading speaks for all rows under it
  const heading = (row) => row.parentElement.querySelector(".group")?.textContent ?? "";
  const texts = new Map(rows.map((row) => [row, `${heading(row)} ${row.textContent}`.toLowerCase()]));
  const box = document.createElement("div");
  box.className = "filter";
  const label = document.createElement("label");
  const input = document.createElement("input");
  input.type = "search";
  input.placeholder = "Filter rows";
  input.setAttribute("aria-label", `Filter the rows of: ${table.closest("[aria-label]")?.getAttribute("aria-label") ?? "this table"}`);
  const said = document.createElement("span");
  said.setAttribute("role", "status");
  label.append(input);
  box.append(label, said);
  table.closest(".scroll").before(box);
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const [row, text] of texts) {
      row.hidden = !words.every((word) => text.includes(word));
      shown += row.hidden ? 0 : 1;
    }
    for (const body of table.tBodies) {
      body.hidden = [...body.rows].every((row) => row.hidden || row.classList.contains("group"));
    }
    said.textContent = words.length ? `${shown} of ${rows.length} rows` : "";
    table.dataset.filtered = words.length ? "yes" : "";
    fold(table);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    input.value = "";
    input.dispatchEvent(new Event("input"));
    input.blur();
  });
};

for (const table of document.querySelectorAll("table.sortable")) {
  addFilter(table);
  addFold(table);
}

// Long texts fold, and unfold for whoever follows a link into them

const unfold = (text) => {
  text.classList.add("whole");
  const button = text.nextElementSibling;
  if (button?.matches("button.unfold")) {
    button.textContent = "Fold";
    button.setAttribute("aria-expanded", "true");
  }
};

for (const text of document.querySelectorAll(".text.long")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "unfold";
  const more = text.dataset.lines ? `Show all ${Number(text.dataset.lines).toLocaleString("en")} lines` : "Show all of it";
  button.textContent = more;
  button.setAttribute("aria-expanded", "false");
  button.addEventListener("click", () => {
    if (!text.classList.contains("whole")) return unfold(text);
    text.classList.remove("whole");
    button.textContent = more;
    button.setAttribute("aria-expanded", "false");
    text.scrollIntoView({ block: "nearest" });
  });
  text.after(button);
}

const goTo = (element) => {
  if (!element) return;
  const text = element.closest(".text.long");
  if (text) unfold(text);
  for (const details of [element.closest("details")].filter(Boolean)) details.open = true;
  element.scrollIntoView({ block: "center" });
  element.focus({ preventScroll: true });
};

const followHash = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  if (target.tagName === "DETAILS") target.open = true;
  if (target.matches(".anchor, .step")) goTo(target);
};

addEventListener("hashchange", followHash);
followHash();

// Keys

const places = (selector) => [...document.querySelectorAll(selector)];

const stepBy = (selector, way) => {
  const all = places(selector);
  if (!all.length) return;
  const current = document.activeElement?.closest(selector) ?? document.querySelector(`${selector}:target`);
  const at = all.indexOf(current);
  const next = at < 0 ? (way > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + way, 0), all.length - 1);
  goTo(all[next]);
};

const follow = (selector) => {
  // the monitor whose errors are walked is the one that the address names, else the first with any
  const link = document.querySelector(`details:target ${selector}`) ?? document.querySelector(selector);
  if (link) link.click();
};

const KEYS = {
  j: () => stepBy(".step", 1),
  k: () => stepBy(".step", -1),
  e: () => stepBy(".anchor", 1),
  n: () => follow('[data-key="n"]'),
  p: () => follow('[data-key="p"]'),
  ".": () => follow('[data-walk="next"]'),
  ",": () => follow('[data-walk="previous"]'),
  "/": () => document.querySelector(".filter input")?.focus(),
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
  const act = KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

// paper cannot unfold
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
