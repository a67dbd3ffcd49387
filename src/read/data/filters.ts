/**
 * `<field>=eq.<value>`: equality on a top-level field, the only filter that is supported.
 *
 * See `src/spec/decisions.md`, section 6.
 *
 * @module
 */
import { Kind, Type, TypeRegistry } from "@sinclair/typebox";
import {
  invalidParameter,
  type Refuse,
  RefuseBy,
  unknownParameter,
} from "../../api/input/parameters.ts";
import { Problem } from "../../http/problem_details.ts";
import { excerpt } from "../../lib/code_points.ts";
import { isNumberText } from "../../lib/json_text.ts";

/** One filter: the field's exact key, and the value as text and, if it is one, as a JSON literal. */
export interface Filter {
  readonly name: string;
  /** Compared with strings. Null if no stored text can equal it. */
  readonly text: string | null;
  /** Compared with numbers, booleans, and null, as JSON. Null if the text is no such literal. */
  readonly literal: string | null;
}

/** PostgREST's operators. All except plain `eq` are disabled. */
const OPERATORS = new Set(
  "eq neq gt gte lt lte like ilike match imatch in is isdistinct fts plfts phfts wfts cs cd ov sl sr nxr nxl adj not or and all any".split(
    " ",
  ),
);
const LITERAL_PREFIX = "payload.";
const BRACKETED = /^filters\[(.*)\]$/;

const EQUALITY = "eq.";

TypeRegistry.Set("Filter", (_, value) =>
  [value].flat().every((each) => typeof each === "string" && each.startsWith(EQUALITY)),
);

/** The type of each parameter that is not in `known`: one filter, or several for one field. */
export function filterParameter(known: readonly string[]) {
  const refuse: Refuse = (name, value) => {
    const wrong = [value].flat().find((each) => !String(each).startsWith(EQUALITY));
    return refusedFilter(name, String(wrong), known);
  };
  return Type.Unsafe<string | string[]>({
    [Kind]: "Filter",
    [RefuseBy]: refuse,
    type: "string",
    pattern: "^eq\\.",
    description:
      'Filters by the feed\'s own fields: `{"place": "eq.Chile"}`, sent as `filters[place]=eq.Chile` or as `place=eq.Chile`.',
  });
}

/** Reads a parameter that `filterParameter` has accepted. @throws {Problem} 400 `OPERATOR_DISABLED` */
export function readFilter(name: string, value: string): Filter {
  const key = keyOf(name);
  const text = value.slice(EQUALITY.length);
  // No stored row contains a NUL, and PostgreSQL accepts none in a parameter.
  if (key.includes("\0")) return { name: "", text: null, literal: null };
  if (text.includes("\0")) return { name: key, text: null, literal: null };
  return { name: key, text, literal: literalOf(text) };
}

/** The problem for a value that is not an equality: another operator, or no filter at all. */
function refusedFilter(name: string, value: string, known: readonly string[]): Problem {
  const dot = value.indexOf(".");
  const operator = dot < 0 ? undefined : value.slice(0, dot);
  // In PostgREST, an operator may have a modifier, as in fts(english) and eq(any).
  const word = operator?.replace(/\(.*$/, "");
  if (BRACKETED.test(name) && (word === undefined || !OPERATORS.has(word))) {
    return invalidParameter(
      `${excerpt(name)} must be eq. and a value, got "${excerpt(value)}". Write ${excerpt(name)}=eq.VALUE.`,
      name,
    );
  }
  if (word === undefined || !OPERATORS.has(word)) {
    if (CHOOSING.has(name)) return invalidParameter(choosingText(name, value), name);
    return unknownParameter(name, known, `to filter by a field write ${excerpt(name)}=eq.VALUE`);
  }
  return new Problem("OPERATOR_DISABLED", {
    detail: `The operator "${excerpt(operator ?? "")}" is disabled. Only equality is supported, as in ${excerpt(name)}=eq.VALUE.`,
  });
}

/** Names that other APIs use for the fields to return. */
const CHOOSING: ReadonlySet<string> = new Set(["fields", "select", "columns"]);
const PLAIN_NAMES = /^[A-Za-z_]\w{0,39}(?:,[A-Za-z_]\w{0,39}){0,3}$/;

/** Explains how to select fields, by a projection. The example uses the names that were sent, if they are plain. */
function choosingText(name: string, value: string): string {
  const chosen = PLAIN_NAMES.test(value) ? [...new Set(value.split(","))] : ["a", "b"];
  const members = `{${chosen.map((field) => `${field}: ${field}`).join(", ")}}`;
  return `There is no parameter "${name}" here. To choose fields, write jsonpath=$[*].${members}, for a singleton jsonpath=$.${members}; to filter by the field, ${name}=eq.VALUE.`;
}

/**
 * A name with a dot would mean a nested field. With the prefix `payload.`, it is a single literal key. Clients
 * generated from the OpenAPI document write `filters[name]`.
 */
function keyOf(written: string): string {
  const name = BRACKETED.exec(written)?.[1] ?? written;
  if (name.startsWith(LITERAL_PREFIX)) return name.slice(LITERAL_PREFIX.length);
  if (!name.includes(".")) return name;
  throw new Problem("OPERATOR_DISABLED", {
    detail: `Only top-level fields can be filtered, got "${excerpt(name)}". Write payload.${excerpt(name)} for a key that contains a dot.`,
  });
}

/** Null if no stored number can be equal. A huge exponent would exhaust PostgreSQL, even that of a zero. */
function literalOf(text: string): string | null {
  if (text === "true" || text === "false" || text === "null") return text;
  if (!isNumberText(text)) return null;
  return Number(text) === 0 ? "0" : text;
}
