// Sorts and filters a board in place, as its links and its form do by a new page: the server has written the
// place of each row by every column into it (`data-o`), so both have the same order.
"use strict";

function setQuery(url, name, value) {
  if (value) url.searchParams.set(name, value);
  else url.searchParams.delete(name);
}

(() => {
  const table = document.querySelector("table[data-board]");
  const form = document.querySelector(".board-view .tools");
  if (!table || !form) {
    return;
  }
  const view = table.closest(".board-view");
  const heads = [...table.tHead.querySelectorAll("a[data-sort]")];
  const names = table.dataset.columns.split(",");
  const first = (name) => heads.find((link) => link.dataset.sort === name)?.dataset.first ?? "asc";
  const status = view.querySelector(".status");
  const find = form.elements.q;
  const groups = [...table.tBodies].map((body) => ({
    body,
    kind: body.className,
    section: body.querySelector("tr.section"),
    rows: [...body.querySelectorAll("tr[data-o]")].map((row) => ({
      row,
      at: Number(row.dataset.at),
      cluster: row.dataset.c ?? "",
      keys: row.dataset.o.split(",").map((key) => (key === "" ? null : Number(key))),
      name: `${row.querySelector(".team").textContent} ${row.querySelector(".run").textContent}`.toLowerCase(),
    })),
  }));
  const state = { sort: table.dataset.sort, order: table.dataset.order };

  const address = (changes) => {
    const url = new URL(location.href);
    const { sort, order, q } = { ...state, q: find.value.trim(), ...changes };
    const values = { sort: sort === "rank" ? "" : sort, order: order === first(sort) ? "" : order, q };
    for (const [name, value] of Object.entries(values)) setQuery(url, name, value);
    url.searchParams.delete("page");
    return url;
  };

  const compare = (column, sign) => (a, b) => {
    const [x, y] = [a.keys[column], b.keys[column]];
    return Number(x === null) - Number(y === null) || sign * ((x ?? 0) - (y ?? 0)) || a.at - b.at;
  };

  const rule = (rows, byRank) => {
    rows.forEach(({ row, cluster }, k) => {
      const next = rows[k + 1]?.cluster;
      row.classList.toggle("rule", byRank && Boolean(cluster && next) && cluster !== next);
    });
  };

  const draw = () => {
    const column = names.indexOf(state.sort);
    const asked = find.value.trim().toLowerCase();
    const byRank = state.sort === "rank" && state.order === "asc";
    for (const { body, kind, section, rows } of groups) {
      rows.sort(compare(column, state.order === "asc" ? 1 : -1));
      rows.forEach((one) => { one.row.hidden = !one.name.includes(asked); });
      const kept = rows.filter((one) => !one.row.hidden);
      rule(kept, byRank && kind === "official");
      if (section) {
        section.hidden = !kept.length;
      }
      body.append(...rows.map((one) => one.row));
    }
    for (const link of heads) {
      const name = link.dataset.sort;
      const own = name === state.sort;
      link.closest("th").setAttribute("aria-sort", own ? `${state.order}ending` : "none");
      link.href = address({ sort: name, order: own && state.order === first(name) ? turned(state.order) : first(name) });
    }
    say(byRank);
  };

  const turned = (order) => (order === "asc" ? "desc" : "asc");

  const say = (byRank) => {
    const all = groups.flatMap((group) => group.rows);
    const shown = all.filter((one) => !one.row.hidden).length;
    const parts = [];
    if (shown < all.length) {
      parts.push(shown ? status.dataset.found.replace("{found}", shown).replace("{rows}", all.length) : status.dataset.none);
    }
    for (const part of view.querySelectorAll(".scroll, .legend, .compare .actions")) {
      part.hidden = !shown;
    }
    if (shown && !byRank && all.some((one) => one.cluster)) {
      parts.push(status.dataset.unruled);
    }
    status.textContent = parts.join(" ");
  };

  const change = (changes) => {
    Object.assign(state, changes);
    draw();
    history.replaceState(null, "", address({}));
  };

  const keep = (name, value) => {
    const field = form.elements[name] ?? form.appendChild(Object.assign(document.createElement("input"), { type: "hidden", name }));
    field.value = value;
  };

  form.addEventListener("submit", () => {
    keep("sort", state.sort);
    keep("order", state.order);
  });

  table.tHead.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-sort]");
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) {
      return;
    }
    event.preventDefault();
    const name = link.dataset.sort;
    const order = name === state.sort ? turned(state.order) : first(name);
    change({ sort: name, order });
  });

  find.addEventListener("input", () => change({}));

  view.addEventListener("mouseover", (event) => {
    const value = event.target.closest("data");
    if (value) {
      value.title = value.value;
    }
  });
})();

// Intervals in numbers: a part of the view's address, and of those that it leads to.
document.getElementById("ends")?.addEventListener("change", ({ target }) => {
  const withQuery = (address) => {
    const url = new URL(address);
    setQuery(url, target.name, target.checked && target.value);
    return url;
  };
  history.replaceState(null, "", withQuery(location.href));
  for (const link of target.closest(".board-view").querySelectorAll("nav.views a, thead a, .status a")) {
    link.href = withQuery(link.href);
  }
});
