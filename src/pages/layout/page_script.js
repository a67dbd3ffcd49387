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

// A chart draws the table that stands below it: the first column is the time, the others are series.
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

function draw(figure) {
  const plot = figure.querySelector(".plot");
  const table = figure.querySelector("details table");
  const names = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  const rows = [...table.tBodies[0].rows].map((row) => [...row.cells]);
  if (rows.length === 0) return undefined;
  rows.sort((a, b) => a[0].dataset.value - b[0].dataset.value);
  const columns = names.map((_, index) => rows.map((cells) => Number(cells[index].dataset.value)));
  // A day begins in UTC, wherever its reader is.
  const isDaily = rows.every(([time]) => time.textContent.length === "2026-01-01".length);
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
  const hasWholes = columns.slice(1).flat().every(Number.isInteger);
  const hasBars = isDaily && names.length === 2 && rows.length <= BARS_MAX;
  plot.hidden = false;
  return new uPlot(
    {
      width: plot.clientWidth,
      height: HEIGHT,
      ...(isDaily && { tzDate: (at) => uPlot.tzDate(new Date(at * 1_000), "UTC") }),
      cursor: { y: false },
      scales: { y: { range: (_, __, most) => [0, most > 0 ? most * 1.08 : 1] } },
      axes: [
        { ...axis, grid: { show: false } },
        {
          ...axis,
          size: 46,
          space: 26,
          incrs: STEPS.filter((step) => step >= 1 || !hasWholes),
          values: (_, ticks) => ticks.map((tick) => compact.format(tick)),
        },
      ],
      series: [
        { label: names[0], value: (_, at) => (at == null ? "" : moment.format(at * 1_000)) },
        ...names.slice(1).map((label, index) => ({
          label,
          stroke: strokes[index % strokes.length],
          width: hasBars ? 0 : 1.5,
          fill: hasBars ? strokes[0] : index === 0 ? `${strokes[0]}22` : undefined,
          points: { show: !hasBars && rows.length < 3 },
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
  let charts = figures.map(draw);
  // A canvas follows neither the colours nor the width of its page.
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const chart of charts) chart?.destroy();
    charts = figures.map(draw);
  });
  addEventListener("resize", () => {
    for (const chart of charts) {
      chart?.setSize({ width: chart.root.parentElement.clientWidth, height: HEIGHT });
    }
  });
}
