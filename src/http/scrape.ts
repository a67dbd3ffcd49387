/**
 * Metrics that a scrape reads from the database: how long it waits, and how several metrics share one statement.
 *
 * @module
 */
import { createSingleFlight } from "../lib/single_flight.ts";
import { within } from "../lib/within.ts";
import type { Metrics } from "./metrics.ts";

/** The longest that a scrape waits for the database. A supervisor of workers waits a second for their metrics. */
const ANSWER_MS_MAX = 500;

/** Undefined if the answer failed or was late. The metric of database errors shows why. */
export async function inScrape<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  const inTime = await within(answer, ANSWER_MS_MAX).catch(() => "late" as const);
  return inTime === "late" ? undefined : inTime;
}

/** Registers gauges of one row, which a scrape reads once. Of several processes, the highest value counts. */
export function gaugesOf<Row>(metrics: Metrics, read: () => Promise<Row | undefined>) {
  const flight = createSingleFlight(() => inScrape(read()));
  return (name: string, help: string, figureOf: (row: Row) => number) => {
    const value = async () => {
      const row = await flight.ask();
      return row === undefined ? undefined : figureOf(row);
    };
    metrics.gauge(name, help, value, "max");
  };
}
