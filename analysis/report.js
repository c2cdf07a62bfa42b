// Tables sort by their column heads, each group of rows by itself; without this script they can be read as well.
"use strict";

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
    const rows = [...body.rows].filter((row) => !row.classList.contains("group"));
    rows.sort((one, other) => sign * inOrder(valueOf(one, column), valueOf(other, column)));
    body.append(...rows);
  }
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

// paper cannot unfold
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
