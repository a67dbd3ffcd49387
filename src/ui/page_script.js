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
    await navigator.clipboard.writeText(element.textContent.trim());
    button.textContent = "Copied";
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
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const compact = new Intl.NumberFormat(undefined, { notation: "compact" });
function draw(figure) {
  const plot = figure.querySelector(".plot");
  // The plot has a table of its own, the legend.
  const table = figure.querySelector("details table");
  const names = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  const rows = [...table.tBodies[0].rows].map((row) => [...row.cells]);
  rows.sort((a, b) => a[0].dataset.value - b[0].dataset.value);
  const columns = names.map((_, index) => rows.map((cells) => Number(cells[index].dataset.value)));
  const strokes = [colour("--accent"), colour("--warn"), colour("--bad"), colour("--soft")];
  const axis = {
    stroke: colour("--soft"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { stroke: colour("--line"), width: 1 },
  };
  plot.hidden = false;
  plot.replaceChildren();
  new uPlot(
    {
      width: plot.clientWidth,
      height: 200,
      scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.08)] } },
      axes: [
        axis,
        { ...axis, size: 64, values: (_, ticks) => ticks.map((tick) => compact.format(tick)) },
      ],
      series: [
        {},
        ...names.slice(1).map((label, index) => ({
          label,
          stroke: strokes[index % strokes.length],
          width: 2,
          fill: index === 0 ? `${strokes[0]}22` : undefined,
          points: { show: rows.length < 3 },
        })),
      ],
    },
    columns,
    plot,
  );
}
const figures = document.querySelectorAll("figure.chart");
function drawAll() {
  for (const figure of figures) draw(figure);
}
if (figures.length > 0 && "uPlot" in window) {
  drawAll();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  addEventListener("resize", drawAll);
}
