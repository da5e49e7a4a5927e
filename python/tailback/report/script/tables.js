// Tables that are sorted by their headings and filtered by words.

function sortable(table) {
  const body = table.tBodies[0];
  const headings = [...table.tHead.rows[0].cells];
  const order = (cell) => cell.dataset.order ?? cell.textContent.trim();
  const compare = (a, b) => {
    const [x, y] = [Number(a), Number(b)];
    if (!Number.isNaN(x) && !Number.isNaN(y)) return x - y;
    return a.localeCompare(b, undefined, { numeric: true });
  };
  headings.forEach((heading, column) => heading.querySelector("button")?.addEventListener("click", () => {
    const up = heading.getAttribute("aria-sort") !== "ascending";
    headings.forEach((other) => other.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", up ? "ascending" : "descending");
    const keyed = [...body.rows].map((row) => [order(row.cells[column]), row]);
    const known = keyed.filter(([key]) => key !== "" && key !== "-");
    const unknown = keyed.filter(([key]) => key === "" || key === "-");
    known.sort(([a], [b]) => (up ? compare(a, b) : compare(b, a)));
    body.append(...[...known, ...unknown].map(([, row]) => row));
  }));
}

function searchable(box) {
  const input = box.querySelector("input[type=search]");
  if (!input) return;
  const rows = [...box.querySelectorAll("tbody tr")];
  const texts = rows.map((row) => [...row.cells].map((cell) => cell.textContent).join(" ").toLowerCase());
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let seen = 0;
    rows.forEach((row, i) => {
      row.hidden = !words.every((word) => texts[i].includes(word));
      seen += !row.hidden;
    });
    box.querySelector("output").textContent = seen === rows.length ? `rows: ${seen}` : `rows: ${seen} of ${rows.length}`;
  });
}
