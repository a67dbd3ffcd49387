// What pages can do better with JavaScript than without: local times, copy buttons and charts. Each page is whole
// without it.
for (const element of document.querySelectorAll("time[datetime]")) {
  const time = new Date(element.dateTime);
  if (Number.isNaN(time.getTime())) continue;
  element.title = element.dateTime;
  element.textContent = time.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

for (const element of document.querySelectorAll("pre")) {
  // It scrolls by itself, so a keyboard has to reach it.
  element.tabIndex = 0;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    button.textContent = await navigator.clipboard.writeText(element.textContent.trim()).then(
      () => "Copied",
      () => "Not allowed",
    );
    setTimeout(() => {
      button.textContent = "Copy";
    }, 1_500);
  });
  const frame = document.createElement("div");
  frame.className = "copy";
  element.replaceWith(frame);
  frame.append(element, button);
}

// A chart draws a table: the one below it, whose first column is the time and whose others are series, or the rows of a
// feed, of which a column is chosen.
const HEIGHT = 190;
const BARS_MAX = 62;
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const compact = new Intl.NumberFormat(undefined, {
  notation: "compact",
  maximumSignificantDigits: 3,
});
/** 1, 2 and 5 of each power of ten, from nano-dollars up. */
const STEPS = Array.from({ length: 24 }, (_, power) => power - 9).flatMap((power) =>
  [1, 2, 5].map((step) => Number(`${step}e${power}`)),
);
const exact = new Intl.NumberFormat(undefined, { maximumFractionDigits: 9 });

/** Short numbers, unless two of them would look the same. */
function tickTexts(ticks) {
  const short = ticks.map((tick) => compact.format(tick));
  return new Set(short).size === ticks.length ? short : ticks.map((tick) => exact.format(tick));
}

function ownSeries(figure) {
  const table = figure.querySelector("details table");
  const rows = [...table.tBodies[0].rows].map((row) => [...row.cells]);
  rows.sort((a, b) => a[0].dataset.value - b[0].dataset.value);
  const names = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  return {
    names,
    columns: names.map((_, index) => rows.map((cells) => Number(cells[index].dataset.value))),
    // A day begins in UTC, wherever its reader is.
    isDaily: rows.every(([time]) => time.textContent.length === "2026-01-01".length),
  };
}

function chosenSeries(figure) {
  const { rows: id, time } = figure.dataset;
  const choice = figure.querySelector("select");
  const points = [...document.getElementById(id).tBodies[0].rows]
    .map(({ cells }) => [
      Date.parse(cells[time].textContent) / 1_000,
      numberIn(cells[choice.value]),
    ])
    .filter(([at]) => Number.isFinite(at))
    .sort(([a], [b]) => a - b);
  return {
    names: ["Time", choice.selectedOptions[0].textContent],
    columns: [points.map(([at]) => at), points.map(([, value]) => value)],
    isDaily: false,
  };
}

function numberIn({ textContent: text }) {
  const value = Number(text);
  return text === "" || !Number.isFinite(value) ? null : value;
}

function draw(figure) {
  const plot = figure.querySelector(".plot");
  const isChosen = figure.dataset.rows !== undefined;
  const { names, columns, isDaily } = isChosen ? chosenSeries(figure) : ownSeries(figure);
  const { length } = columns[0];
  if (length === 0) return undefined;
  const zone = isDaily ? { timeZone: "UTC" } : {};
  const moment = new Intl.DateTimeFormat(undefined, {
    dateStyle: "medium",
    ...(isDaily ? {} : { timeStyle: "short" }),
    ...zone,
  });
  const strokes = [colour("--accent"), colour("--warn"), colour("--bad"), colour("--soft")];
  const axis = {
    stroke: colour("--soft"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
    font: "12px system-ui, sans-serif",
  };
  const hasWholes = columns
    .slice(1)
    .flat()
    .every((value) => value === null || Number.isInteger(value));
  const hasBars = isDaily && names.length === 2 && length <= BARS_MAX;
  figure.hidden = false;
  plot.hidden = false;
  return new uPlot(
    {
      width: plot.clientWidth,
      height: HEIGHT,
      ...(isDaily && { tzDate: (at) => uPlot.tzDate(new Date(at * 1_000), "UTC") }),
      cursor: { y: false },
      // Counts and sums begin at zero; a feed's numbers need not.
      ...(!isChosen && {
        scales: { y: { range: (_, __, most) => [0, most > 0 ? most * 1.08 : 1] } },
      }),
      axes: [
        { ...axis, grid: { show: false }, space: 64 },
        {
          ...axis,
          size: isChosen ? 64 : 46,
          space: 26,
          incrs: STEPS.filter((step) => step >= 1 || !hasWholes),
          values: (_, ticks) => tickTexts(ticks),
        },
      ],
      series: [
        { label: names[0], value: (_, at) => (at == null ? "" : moment.format(at * 1_000)) },
        ...names.slice(1).map((label, index) => ({
          label,
          stroke: strokes[index % strokes.length],
          width: hasBars ? 0 : 1.5,
          fill: hasBars ? strokes[0] : index === 0 && !isChosen ? `${strokes[0]}22` : undefined,
          points: { show: !hasBars && (isChosen || length < 3), size: 5 },
          value: (_, value) => (value == null ? "" : exact.format(value)),
          ...(hasBars && { paths: uPlot.paths.bars({ size: [0.7, 24] }) }),
        })),
      ],
    },
    columns,
    plot,
  );
}
const figures = [...document.querySelectorAll("figure.chart")];
if (figures.length > 0 && "uPlot" in window) {
  const charts = figures.map(draw);
  const redraw = (index) => {
    charts[index]?.destroy();
    charts[index] = draw(figures[index]);
  };
  for (const [index, figure] of figures.entries()) {
    figure.querySelector("select")?.addEventListener("change", () => redraw(index));
  }
  // A canvas follows neither the colours nor the width of its page.
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const index of figures.keys()) redraw(index);
  });
  addEventListener("resize", () => {
    for (const chart of charts) {
      chart?.setSize({ width: chart.root.parentElement.clientWidth, height: HEIGHT });
    }
  });
}
