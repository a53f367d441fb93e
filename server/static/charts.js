// Draws each <figure class="chart"> from the table inside it, with ECharts as SVG.
//
// data-chart says how; a head's data-as says what its column is:
//   scatter  x, y, and perhaps group and label; options x-min x-max
//   bars     the first column names the bars, each `series` is a set of them; options stacked unit
//            a row's data-mark is a word at a line there, data-mark-at how far into its bar
//   lines    the first column names a line, each `series` is its rank at a place along it, 1 on top; option most: so many of the first rows
//   heat     the first column names a row, each `series` is a column; options min max
//   dots     label, value, low, high, and perhaps group: the first group is filled; option zero; x-min x-max
//            with q1 and q3 a box plot: the value is the median, low and high are the ends of the whiskers
// A number is the value of a cell's <data>, or its text; a dash is none.
"use strict";

(() => {
  // No hollow ones: ECharts fills them with white, in the dark too.
  const MARKS = ["circle", "triangle", "rect", "diamond", "path://M3 0h2v3h3v2h-3v3h-2v-3h-3v-2h3z", "path://M1 0l3 3l3-3l1 1l-3 3l3 3l-1 1l-3-3l-3 3l-1-1l3-3l-3-3z"];
  const SERIES = 6;
  const MOST_NAMES = 8;
  const MOST_NAMED = 20; // points of a scatter plot that have their names beside them

  // Reading the table

  const words = (cell) => cell.dataset.words || cell.textContent.trim().replace(/\s+/g, " ");

  const number = (cell) => {
    const data = cell.querySelector("data");
    const text = (data ? data.value : words(cell)).replace("−", "-");
    return text !== "" && Number.isFinite(Number(text)) ? Number(text) : null;
  };

  const read = (figure) => {
    const table = figure.querySelector("table");
    const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
    const rows = [...table.tBodies].flatMap((body) => [...body.rows]).filter((row) => row.cells.length === heads.length);
    const at = (as) => heads.findIndex((head) => head.dataset.as === as);
    const series = heads.flatMap((head, index) => (head.dataset.as === "series" ? [{ index, name: words(head) }] : []));
    return { heads, rows, at, series };
  };

  const whole = ({ rows, series }) => rows.every((row) => series.every((one) => Number.isInteger(number(row.cells[one.index]) ?? 0)));
  const shown = (value) => String(value).replace("-", "−");

  // The page's own colours and letters

  const style = () => {
    const own = getComputedStyle(document.documentElement);
    const value = (name) => own.getPropertyValue(name).trim();
    return {
      text: value("--text"), muted: value("--muted"), line: value("--line"), strong: value("--line-strong"),
      page: value("--page"), accent: value("--accent"),
      font: getComputedStyle(document.body).fontFamily,
      series: Array.from({ length: SERIES }, (_, k) => value(`--series-${k + 1}`)),
    };
  };

  const axis = (look, type, more) => ({
    type, nameLocation: "middle", nameGap: 32,
    nameTextStyle: { color: look.text, fontSize: 13 },
    axisLine: { show: true, lineStyle: { color: look.strong } },
    axisTick: { show: type !== "category", lineStyle: { color: look.strong } },
    axisLabel: { color: look.muted, fontSize: 12, hideOverlap: true, ...(type === "value" ? { formatter: shown } : {}) },
    splitLine: { show: type === "value", lineStyle: { color: look.line } },
    ...more,
  });

  const frame = (look, more) => ({
    animation: false,
    color: look.series,
    textStyle: { fontFamily: look.font, color: look.text },
    grid: { left: 8, right: 24, top: 16, bottom: 8, outerBoundsMode: "same" },
    tooltip: {
      renderMode: "richText", confine: true, trigger: "item",
      backgroundColor: look.page, borderColor: look.strong,
      textStyle: { color: look.text, fontFamily: look.font, fontSize: 13 },
    },
    ...more,
  });

  const ruler = document.createElement("canvas").getContext("2d");
  const measure = (look, size, text) => {
    ruler.font = `${size}px ${look.font}`;
    return ruler.measureText(text).width;
  };

  // A few names along an axis are all shown: in several lines, or slanted if a word is too long for that. Of many, ECharts
  // shows those that fit.
  const allNames = (look, names, width) => {
    if (names.length > MOST_NAMES) return {};
    const room = width / names.length;
    const slanted = names.some((name) => name.split(" ").some((word) => measure(look, 12, word) > room));
    const shape = slanted ? { rotate: 45 } : { width: room, overflow: "break", lineHeight: 14 };
    return { axisLabel: { color: look.muted, fontSize: 12, interval: 0, ...shape } };
  };

  // How many lines ECharts needs for these names, each with its mark, in a legend of this width.
  const countLines = (look, names, width) => {
    let lines = 1;
    let used = 0;
    for (const name of names) {
      const needed = 30 + measure(look, 13, name) + 10;
      if (used && used + needed > width - 10) {
        lines += 1;
        used = 0;
      }
      used += needed;
    }
    return lines;
  };

  const LINE = 24;
  const legend = (look, names, width) => (names.length < 2 ? {} : {
    legend: { data: names, top: 0, left: 0, itemWidth: 25, itemGap: 10, textStyle: { color: look.text, fontSize: 13, lineHeight: LINE - 10 }, inactiveColor: look.muted },
    grid: { left: 8, right: 24, top: 16 + LINE * countLines(look, names, width), bottom: 8, outerBoundsMode: "same" },
  });
  // What a legend of several lines adds to the height of its chart.
  const extra = (option) => Math.max(0, option.grid.top - 16 - LINE);

  const limit = (figure, name) => (figure.dataset[name] === undefined ? undefined : Number(figure.dataset[name]));
  const limits = (figure) => {
    const found = { min: limit(figure, "xMin"), max: limit(figure, "xMax") };
    return { ...found, scale: found.min === undefined };
  };
  const format = (value) => shown(Math.abs(value) < 1e-3 || Number.isInteger(value) ? value : Number(value.toPrecision(4)));

  const line = (index, row, look) => ({
    type: "custom", silent: true, tooltip: { show: false }, data: [[index, 0]], encode: { x: 0, y: 1 }, z: 5,
    renderItem({ coordSys: { x: left, y: top, width, height } }, api) {
      const x = api.coord([index, 0])[0] + (Number(row.dataset.markAt) - 0.5) * api.size([1, 0])[0];
      const align = x > left + width - 40 ? "right" : x < left + 40 ? "left" : "center";
      return { type: "group", children: [
        { type: "line", shape: { x1: x, y1: top - 2, x2: x, y2: top + height }, style: { stroke: look.text, lineWidth: 1.5, lineDash: [5, 4] } },
        { type: "text", style: { x, y: top - 4, text: row.dataset.mark, align, verticalAlign: "bottom", fill: look.text, fontSize: 12, fontFamily: look.font } },
      ] };
    },
  });

  // Each kind: from figure, table and look to what ECharts draws, and how high it is

  const kinds = {
    scatter(figure, { heads, rows, at }, look) {
      const [x, y, group, label] = ["x", "y", "group", "label"].map(at);
      const groups = new Map();
      const places = rows.map((row) => number(row.cells[x])).filter((place) => place !== null);
      const middle = (Math.min(...places) + Math.max(...places)) / 2; // a name beside it stays within the picture
      for (const row of rows) {
        const point = [number(row.cells[x]), number(row.cells[y])];
        if (point.includes(null)) continue;
        const name = group < 0 ? "" : words(row.cells[group]);
        if (!groups.has(name)) groups.set(name, []);
        groups.get(name).push({ value: point, name: label < 0 ? "" : words(row.cells[label]), label: { position: point[0] > middle ? "left" : "right" } });
      }
      const series = [...groups].map(([name, data], k) => ({
        type: "scatter", name, data, symbol: MARKS[k % MARKS.length], symbolSize: data.length > 200 ? 6 : 8,
        itemStyle: { opacity: 0.65 },
        label: { show: label >= 0 && rows.length <= MOST_NAMED, formatter: "{b}", fontSize: 11, color: look.text },
      }));
      const tip = (one) => [one.data.name, one.seriesName, `${words(heads[x])} ${format(one.value[0])}`, `${words(heads[y])} ${format(one.value[1])}`];
      const option = frame(look, {
        ...legend(look, [...groups.keys()].filter(Boolean), Math.min(640, figure.clientWidth)),
        xAxis: axis(look, "value", { name: words(heads[x]), ...limits(figure) }),
        yAxis: axis(look, "value", { name: words(heads[y]), nameGap: 40, scale: true }),
        series,
      });
      option.tooltip.formatter = (one) => tip(one).filter(Boolean).join("\n");
      return { option, height: 420 + extra(option), width: 640 };
    },

    bars(figure, table, look) {
      const { heads, rows, series } = table;
      const stack = figure.dataset.stacked !== undefined ? "all" : undefined;
      const names = rows.map((row) => words(row.cells[0]));
      const option = frame(look, {
        ...legend(look, series.map((one) => one.name), figure.clientWidth),
        xAxis: axis(look, "category", { data: names, name: words(heads[0]), ...allNames(look, names, figure.clientWidth - 84) }),
        yAxis: axis(look, "value", { name: figure.dataset.unit, nameGap: 44, minInterval: whole(table) ? 1 : undefined }),
        series: series.map((one) => ({
          type: "bar", name: one.name, stack, barMaxWidth: 28, data: rows.map((row) => number(row.cells[one.index])),
        })),
      });
      const marked = rows.findIndex((row) => row.dataset.mark);
      if (marked >= 0) option.series.push(line(marked, rows[marked], look));
      option.tooltip.formatter = (one) => `${one.name}\n${one.seriesName}: ${format(one.value)}`;
      return { option, height: 300 + extra(option) };
    },

    lines(figure, { rows: all, series }, look) {
      const rows = all.slice(0, limit(figure, "most"));
      const many = rows.length > SERIES;
      const last = series.length - 1;
      const at = (row, k) => number(row.cells[series[k].index]);
      const side = Math.max(150, Math.min(230, (figure.clientWidth - series.length * 66) / 2));
      const longest = Math.floor((side - 40) / 6.3);
      // Lines that begin or end at the same rank share one label there.
      const label = (row, k) => {
        if (k !== last && k !== 0) return undefined;
        const same = rows.filter((other) => at(other, k) === at(row, k));
        const names = same.map((other) => words(other.cells[0])).join(", ");
        const cut = names.length > longest ? `${names.slice(0, longest - 1)}…` : names;
        return {
          show: row === same[0], position: k ? "right" : "left", distance: 8, color: look.text, fontSize: 12,
          formatter: k ? `${at(row, k)}  ${cut}` : `${cut}  ${at(row, k)}`,
        };
      };
      const option = frame(look, {
        grid: { left: side, right: side, top: 8, bottom: 8, outerBoundsMode: "same", outerBoundsContain: "axisLabel" },
        xAxis: axis(look, "category", {
          data: series.map((one) => one.name), position: "top", axisLine: { show: false },
          axisLabel: { color: look.text, fontSize: 12, interval: 0, width: 66, overflow: "break", lineHeight: 14, margin: 16 },
        }),
        yAxis: axis(look, "value", { show: false, inverse: true, min: 0.5, max: rows.length + 0.5 }),
        series: rows.map((row, k) => ({
          type: "line", name: words(row.cells[0]), symbol: many ? "circle" : MARKS[k % MARKS.length], symbolSize: 6, showAllSymbol: true, connectNulls: true,
          lineStyle: { width: many ? 1.5 : 2, opacity: many ? 0.7 : 1 },
          emphasis: { focus: "series", lineStyle: { width: 3 } },
          data: series.map((_, place) => ({ value: at(row, place), label: label(row, place) })),
        })),
      });
      option.tooltip.formatter = (one) => `${one.seriesName}\n${one.name}: ${format(one.value)}`;
      return { option, height: 90 + rows.length * 20, least: 2 * side + series.length * 66 };
    },

    heat(figure, { rows, series }, look) {
      const cells = rows.flatMap((row, y) => series.map((one, x) => ({ x, y, value: number(row.cells[one.index]), words: words(row.cells[one.index]) })));
      const values = cells.map((cell) => cell.value).filter((value) => value !== null);
      const low = limit(figure, "min") ?? Math.min(...values);
      const high = limit(figure, "max") ?? Math.max(...values);
      // A heading is never wider than its column, and a column never narrower than the longest word of a heading.
      const column = Math.max(64, ...series.flatMap((one) => one.name.split(" ").map((word) => measure(look, 12, word) + 12)));
      const share = (value) => 0.06 + 0.94 * Math.max(0, Math.min(1, high > low ? (value - low) / (high - low) : 1));
      const option = frame(look, {
        grid: { left: 8, right: 8, top: 8, bottom: 8, outerBoundsMode: "same" },
        xAxis: axis(look, "category", { data: series.map((one) => one.name), position: "top", axisLine: { show: false }, axisLabel: { color: look.text, fontSize: 12, interval: 0, width: column - 8, overflow: "break", lineHeight: 14 } }),
        yAxis: axis(look, "category", { data: rows.map((row) => words(row.cells[0])), inverse: true, axisLine: { show: false }, axisLabel: { color: look.text, fontSize: 12, interval: 0, width: 150, overflow: "truncate" } }),
        series: [{
          type: "heatmap",
          data: cells.filter((cell) => cell.value !== null).map((cell) => ({
            value: [cell.x, cell.y, cell.value], words: cell.words,
            itemStyle: { color: mix(look.page, look.accent, share(cell.value)), borderColor: look.page, borderWidth: 1 },
            label: { show: true, formatter: cell.words, fontSize: 12, color: readable(mix(look.page, look.accent, share(cell.value))) },
          })),
        }],
      });
      option.tooltip.formatter = (one) => `${words(rows[one.value[1]].cells[0])}\n${series[one.value[0]].name}: ${one.data.words}`;
      return { option, height: 74 + rows.length * 26, width: 190 + series.length * Math.max(120, column), least: 170 + series.length * column };
    },

    dots(figure, { heads, rows, at }, look) {
      const [label, value, low, high, group, q1, q3] = ["label", "value", "low", "high", "group", "q1", "q3"].map(at);
      const first = group < 0 || !rows.length ? "" : words(rows[0].cells[group]);
      const kept = rows.filter((row) => number(row.cells[value]) !== null);
      const filled = figure.dataset.filled ?? first;
      const data = kept.map((row, k) => [number(row.cells[value]), k, number(row.cells[low]), number(row.cells[high])]);
      const names = kept.map((row) => words(row.cells[label]));
      const width = Math.max(110, Math.min(230, 0.3 * figure.clientWidth));
      const lines = Math.max(1, ...names.map((name) => Math.ceil((7 * name.length) / width)));
      const option = frame(look, {
        xAxis: axis(look, "value", { name: words(heads[value]), ...limits(figure) }),
        yAxis: axis(look, "category", { data: names, inverse: true, axisLabel: { color: look.text, fontSize: 12, lineHeight: 14, interval: 0, width, overflow: "break" } }),
        series: [{
          type: "custom", data, encode: { x: [0, 2, 3], y: 1 },
          renderItem(_, api) {
            const full = group < 0 || words(kept[api.value(1)].cells[group]) === filled;
            const colour = full ? look.accent : look.strong;
            const [x, y] = api.coord([api.value(0), api.value(1)]);
            const style = { fill: full ? colour : look.page, stroke: colour, lineWidth: 2 };
            const [left, right] = [q1, q3].map((place) => place >= 0 && api.coord([number(kept[api.value(1)].cells[place]), 0])[0]);
            const parts = q1 < 0 ? [{ type: "circle", shape: { cx: x, cy: y, r: 4.5 }, style }] : [
              { type: "rect", shape: { x: left, y: y - 7, width: right - left, height: 14 }, style: { ...style, fill: look.page } },
              { type: "line", shape: { x1: x, y1: y - 7, x2: x, y2: y + 7 }, style: { ...style, lineWidth: 4 } },
            ];
            if (![api.value(2), api.value(3)].some(Number.isNaN)) {
              const [x1] = api.coord([api.value(2), api.value(1)]);
              const [x2] = api.coord([api.value(3), api.value(1)]);
              parts.unshift({ type: "line", shape: { x1, y1: y, x2, y2: y }, style: { stroke: colour, lineWidth: 2 } });
            }
            return { type: "group", children: parts };
          },
        }],
      });
      if (figure.dataset.zero !== undefined) {
        option.series.push({
          type: "line", silent: true, symbol: "none", tooltip: { show: false }, lineStyle: { color: look.strong, type: "dashed", width: 1 },
          data: kept.length ? [[0, 0], [0, kept.length - 1]] : [],
        });
      }
      const ends = (one) => (one.value[2] === null || one.value[3] === null ? "" : ` [${format(one.value[2])}, ${format(one.value[3])}]`);
      option.tooltip.formatter = (one) => `${words(kept[one.value[1]].cells[label])}\n${format(one.value[0])}${ends(one)}`;
      return { option, height: 70 + kept.length * Math.max(26, 14 * lines + 6) };
    },
  };

  // Colours between two, and letters that can be read on one

  const parts = (colour) => {
    const hex = colour.replace("#", "");
    const whole = hex.length === 3 ? [...hex].map((digit) => digit + digit).join("") : hex;
    return [0, 2, 4].map((place) => parseInt(whole.slice(place, place + 2), 16));
  };
  const mix = (from, to, share) => `rgb(${parts(from).map((part, k) => Math.round(part + (parts(to)[k] - part) * share)).join(",")})`;
  const light = (rgb) => {
    const [r, g, b] = rgb.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  // Black or white, whichever stands out more: on any color one of them has a contrast of at least 4.5 : 1.
  const readable = (color) => {
    const behind = light(color.match(/\d+/g).map(Number));
    return contrast(0, behind) >= contrast(1, behind) ? "#000" : "#fff";
  };

  // Drawing

  const drawn = new Map();

  const draw = (figure, plot) => {
    const { option, height, width, least } = kinds[figure.dataset.chart](figure, read(figure), style());
    plot.style.height = `${height}px`;
    if (width) plot.style.maxWidth = `${width}px`;
    if (least) plot.style.minWidth = `${least}px`;
    const chart = drawn.get(figure) ?? echarts.init(plot, null, { renderer: "svg" });
    drawn.set(figure, chart);
    chart.resize();
    chart.setOption(option, { notMerge: true });
    figure.dataset.drawn = "";
  };

  const begin = (figure) => {
    const box = document.createElement("div");
    const plot = document.createElement("div");
    box.className = "plot-frame";
    plot.className = "plot";
    plot.setAttribute("role", "img");
    plot.setAttribute("aria-labelledby", `${figure.id}-says`);
    box.append(plot);
    figure.querySelector("details").before(box);
    figure.querySelector("details").open = false;
    new ResizeObserver(() => {
      if (!plot.clientWidth || matchMedia("print").matches) return;
      draw(figure, plot);
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0; // so that keys can scroll it
      else box.removeAttribute("tabindex");
    }).observe(box);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawn.has(figure) && draw(figure, plot));
  };

  [...document.querySelectorAll("figure.chart")].filter((figure) => figure.querySelector("tbody tr")).forEach(begin);
  // On paper a chart is as wide as the page, and whole: its units stay those that it was drawn in.
  const pictures = () => [...document.querySelectorAll(".chart .plot svg")];
  window.addEventListener("beforeprint", () => pictures().forEach((svg) =>
    svg.setAttribute("viewBox", `0 0 ${svg.getAttribute("width")} ${svg.getAttribute("height")}`)));
  window.addEventListener("afterprint", () => pictures().forEach((svg) => svg.removeAttribute("viewBox")));
})();
