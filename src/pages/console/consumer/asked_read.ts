/**
 * A read as requested by the form of "Try it": its query, and the form field that a refusal is about. The read itself
 * decides what is valid. The functions are pure.
 *
 * @module
 */
import { queryText } from "../../../http/query_string.ts";
import { excerpt } from "../../../lib/code_points.ts";
import type { Form } from "../visit.ts";

/** Lines of the form's filters. */
export const FILTER_LINES = [1, 2, 3] as const;
export type FilterLine = (typeof FILTER_LINES)[number];

export const filterField = (line: FilterLine) => `filter_${line}_field`;
export const filterValue = (line: FilterLine) => `filter_${line}_value`;

type Typed = Pick<Form, "text" | "given">;

/** The query of the read, with its question mark; "" without parameters. */
export function askedQuery(form: Typed): string {
  return queryText([
    ...FILTER_LINES.flatMap((line) => filterOf(form, line)),
    ...linesOf(form.text("ids")).map((id) => ["ids", id] as const),
    ["start_time", timeOf(form.given("start_time"))],
    ["end_time", timeOf(form.given("end_time"))],
    ["jsonpath", form.given("jsonpath")],
    ["limit", form.given("limit")],
    ["cursor", form.given("cursor")],
  ]);
}

/** A name that is no parameter of the route, and has no dot, needs no prefix. */
const PLAIN_NAME = /^\w+$/;
const PARAMETERS = ["ids", "start_time", "end_time", "jsonpath", "limit", "offset", "cursor"];

function filterOf(form: Typed, line: FilterLine): readonly (readonly [string, string])[] {
  const field = form.text(filterField(line));
  const value = form.text(filterValue(line));
  if (field === "" && value === "") return [];
  const isPlain = PLAIN_NAME.test(field) && !PARAMETERS.includes(field);
  return [[isPlain ? field : `payload.${field}`, `eq.${value}`]];
}

function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

const MINUTE = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/;
const SECOND = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?$/;

/** A time of the browser's picker is one in UTC. Any other text stays as it is. */
function timeOf(typed: string | undefined): string | undefined {
  if (typed === undefined) return undefined;
  if (MINUTE.test(typed)) return `${typed}:00Z`;
  return SECOND.test(typed) ? `${typed}Z` : typed;
}

interface Refusal {
  readonly code: string;
  /** The parameter that it is about. */
  readonly parameter?: string | undefined;
}

const FIELDS = ["ids", "start_time", "end_time", "limit"];

/** The name of the field that a refusal is about; undefined if it is about none of them. */
export function refusedField({ code, parameter }: Refusal, form: Typed): string | undefined {
  if (code.startsWith("JSONPATH_")) return "jsonpath";
  if (parameter === undefined || FIELDS.includes(parameter)) return parameter;
  const line = FILTER_LINES.find((each) => {
    const field = form.text(filterField(each));
    const names = [field, `payload.${field}`].map((name) => excerpt(name));
    return filterOf(form, each).length > 0 && names.includes(parameter);
  });
  return line === undefined ? undefined : filterField(line);
}
