/** @jsxImportSource preact */
/**
 * A chart that is omitted if it would be empty.
 *
 * @module
 */
import { Chart, type ChartProps, plain } from "../layout/parts.tsx";

/** A chart, unless there is nothing but zeros in it. */
export function MovedChart(chart: ChartProps) {
  const hasMoved = chart.points.some(({ values }) =>
    values.some((value) => Number(plain(value)) !== 0),
  );
  return hasMoved ? <Chart {...chart} /> : null;
}
