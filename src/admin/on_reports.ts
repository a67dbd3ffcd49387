/**
 * What the gateway does, in the operator's API.
 *
 * @module
 */
import { readStats, StatsInput, StatsShape } from "../operator/stats.ts";
import { defineRoute, done } from "./define_route.ts";
import { STATS } from "./examples.ts";

export const REPORT_ROUTES = [
  defineRoute({
    method: "GET",
    path: "/stats",
    operationId: "readStats",
    summary: "Show what the gateway does, by minute or day",
    description:
      "Reads, refusals, credits, errors and pushes, the proof of all ledgers, and who reads what most. All of it is read from totals, which are at most a minute behind.",
    input: StatsInput,
    answers: { 200: { shape: StatsShape, example: STATS } },
    problems: ["RANGE_INVALID", "REPORT_TOO_LONG"],
    act: async ({ operator }, input) => done(await readStats(operator, input)),
  }),
];
