/**
 * Parses the `jsonpath` parameter: RFC 9535 without filter selectors and functions, plus object construction.
 *
 *     projection   = path / [path "."] construction      ; without a path: applied to `data`
 *     construction = "{" S member *(S "," S member) S "}"
 *     member       = (name / quoted string) S ":" S member-path
 *     member-path  = "$" segments                         ; from `data`
 *                  / "@" segments                         ; from the node
 *                  / (name / "*" / bracketed) segments    ; bare: as if `@.` or `@` stood before it
 *
 * Nothing in the grammar nests, so it is one regular expression. No text matches it in two ways, so refusing a text
 * takes time linear in its length for each of its segments. See `src/spec/decisions.md`, section 6.
 *
 * @module
 */
import { codePointsOf, excerpt } from "../../lib/code_points.ts";
import { JSONPATH_LENGTH_MAX } from "../../limits.ts";

/** What a segment picks among the children of a node. Without name and slice, it picks all. RFC 9535, 2.3. */
export interface Selector {
  /** The same text for all spellings. For a name, its JSON text. */
  readonly key: string;
  /** Picks a member of an object. */
  readonly name?: string;
  /** Picks elements of an array. An index is the slice of one element. */
  readonly slice?: Slice;
}

/** `[start:end:step]`. An open bound extends as far as the step leads. */
export interface Slice {
  readonly start: number | undefined;
  readonly end: number | undefined;
  readonly step: number;
}

interface Segment {
  readonly key: string;
  readonly selectors: readonly Selector[];
  /** Whether they also pick among the children of all descendants. */
  readonly descends: boolean;
}

export interface Path {
  /** The same text for all spellings. It begins with `$` for `data`, or with `@` for the node of a construction. */
  readonly key: string;
  readonly segments: readonly Segment[];
  /** Names and indices only: it matches at most one node. RFC 9535, 2.3.5.1. */
  readonly isSingular: boolean;
}

export interface Projection {
  /** The same text for all spellings, which is also a valid projection. */
  readonly key: string;
  readonly path: Path;
  /** The object to make from each node of the path. Undefined for the node itself. */
  readonly members: readonly Member[] | undefined;
  /**
   * The members to keep of each resulting object. Only tools can request them, because `jsonpath` has no syntax for it.
   */
  readonly fields?: readonly string[];
}

interface Member {
  readonly alias: string;
  readonly path: Path;
}

/** `invalid` is 400 `JSONPATH_INVALID`, `filter_disabled` 400 `JSONPATH_FILTER_DISABLED`. */
export type ProjectionParse =
  | { readonly kind: "parsed"; readonly projection: Projection }
  | { readonly kind: "invalid" | "filter_disabled"; readonly detail: string };

const S = "[\\t\\n\\r ]*";
const HEX = "[0-9A-Fa-f]";
const ESCAPE = `[\\\\/bfnrt]|u(?:[0-9ABCEFabcef]${HEX}{3}|[Dd](?:[0-7]${HEX}{2}|[89ABab]${HEX}{2}\\\\u[Dd][C-Fc-f]${HEX}{2}))`;
const UNESCAPED = "\\\\\\u0000-\\u001F\\uD800-\\uDFFF";
const QUOTED = `(?:"(?:[^"${UNESCAPED}]|\\\\(?:"|${ESCAPE}))*"|'(?:[^'${UNESCAPED}]|\\\\(?:'|${ESCAPE}))*')`;
const LETTER = "A-Z_a-z\\u0080-\\uD7FF\\uE000-\\u{10FFFF}";
const NAME = `[${LETTER}][0-9${LETTER}]*`;
const INTEGER = "(?:0|-?[1-9][0-9]*)";
const POSITIONS = `(?:${INTEGER}|(?=:))(?:${S}:(?:${S}${INTEGER})?){0,2}`;
const SELECTOR = `(?:\\*|${QUOTED}|${POSITIONS})`;
const BRACKETED = `\\[${S}${SELECTOR}${S}(?:,${S}${SELECTOR}${S})*\\]`;
const SEGMENT = `${S}(?:\\.\\.?(?:\\*|${NAME})|(?:\\.\\.)?${BRACKETED})`;
const MEMBER = `(${QUOTED}|${NAME})${S}:${S}((?:[$@]|\\*|${NAME}|${BRACKETED})(?:${SEGMENT})*)`;
const MEMBERS = `\\{${S}${MEMBER}${S}(?:,${S}${MEMBER}${S})*\\}`;
const PATH = `\\$(?:${SEGMENT})*`;
const PROJECTION = new RegExp(
  `^(?=[$\\{])(?:(?<path>${PATH})(?:${S}\\.(?=\\{)|$))?(?<members>${MEMBERS})?$`,
  "u",
);
/** Matches the part of an invalid text that can be read as a projection. */
const READABLE = new RegExp(`^(?:${PATH}(?:${S}\\.(?=\\{))?)?(?:\\{(?:${S}${MEMBER}${S},)*)?`, "u");
const EACH_MEMBER = new RegExp(MEMBER, "gu");
const EACH_SEGMENT = new RegExp(SEGMENT, "gu");
const EACH_SELECTOR = new RegExp(SELECTOR, "gu");
/** The key of a singular path. */
const SINGULAR = /^.(?:\[(?:"(?:[^"\\]|\\.)*"|-?\d+)\])*$/;
const FILTER_DISABLED: ProjectionParse = {
  kind: "filter_disabled",
  detail:
    "jsonpath does not support filters, scripts and functions. Select by names, indices, slices and wildcards, and filter rows with <field>=eq.<value>.",
};
const QUOTED_ANYHOW = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/gs;
const INTEGERS = /(?<=[[:,][\t\n\r ]*)-?\d+/g;
const FILTER = /[()]|(?:^|[[,.])[\t\n\r ]*\?/;

/** Parses a decoded `jsonpath`. Never throws. A detail is one sentence for the caller. */
export function parseProjection(text: string): ProjectionParse {
  if (codePointsOf(text) > JSONPATH_LENGTH_MAX) {
    return invalid(
      `must have at most ${JSONPATH_LENGTH_MAX} characters. Select less, or read the feed without it`,
    );
  }
  const unquoted = text.replace(QUOTED_ANYHOW, "_");
  const { groups } = PROJECTION.exec(text) ?? {};
  if (groups === undefined) return FILTER.test(unquoted) ? FILTER_DISABLED : unreadable(text);
  // RFC 9535, 2.1.
  if (unquoted.match(INTEGERS)?.every((digits) => Number.isSafeInteger(Number(digits))) === false) {
    return invalid("accepts only integers between -(2^53 - 1) and 2^53 - 1");
  }
  const path = pathOf(groups.path ?? "$", "$");
  if (groups.members === undefined) {
    return { kind: "parsed", projection: { key: path.key, path, members: undefined } };
  }
  // In a construction that is applied to `data`, node and data are the same.
  const members = membersOf(groups.members, path.segments.length === 0 ? "$" : "@");
  const keys = new Map(
    members.map((each) => [each.alias, `${JSON.stringify(each.alias)}:${each.path.key}`]),
  );
  if (keys.size < members.length) return invalid("must not repeat an alias");
  const key = `${path.key}.{${[...keys.values()].join(",")}}`;
  return { kind: "parsed", projection: { key, path, members } };
}

/** Whether any of its paths begins with a name in `data`, which must then be an object. */
export function namesFieldOfData(projection: Projection): boolean {
  return beginningsAtData(projection).some(
    ({ descends, selectors }) => !descends && selectors.every(({ name }) => name !== undefined),
  );
}

/** Whether any of its paths picks rows of `data` by position. With fewer rows, such a path would pick other ones. */
export function picksRowsByPlace(projection: Projection): boolean {
  return beginningsAtData(projection).some(({ selectors }) =>
    selectors.some(({ slice }) => slice !== undefined),
  );
}

/** The first segments of its paths that begin at `data`. The path `$` itself has none. */
function beginningsAtData({ path, members = [] }: Projection): Segment[] {
  return [path, ...members.map((each) => each.path)]
    .filter(({ key }) => key.startsWith("$"))
    .flatMap(({ segments }) => segments.slice(0, 1));
}

/** The projection with `fields` added. `undefined` stands for each row, or the document. */
export function keepingFields(
  projection: Projection | undefined,
  fields: readonly string[],
  of: "document" | "rows",
): Projection {
  const path = projection?.path ?? pathOf(of === "document" ? "$" : "$[*]", "$");
  const base = projection ?? { path, key: path.key, members: undefined };
  return { ...base, fields, key: `${base.key} ${JSON.stringify(fields.toSorted())}` };
}

function invalid(what: string): ProjectionParse {
  return { kind: "invalid", detail: `jsonpath ${what}.` };
}

function unreadable(text: string): ProjectionParse {
  const { length } = READABLE.exec(text)?.[0] ?? "";
  const place = codePointsOf(text.slice(0, length)) + 1;
  const got = length < text.length ? JSON.stringify(excerpt(text.slice(length))) : "nothing";
  return invalid(
    `can't be parsed from character ${place} on, got ${got}. Write $ and segments (.name, ['any name'], [0], [0:5], [*], ..name), or {alias: path}`,
  );
}

function membersOf(text: string, node: "$" | "@"): Member[] {
  return [...text.matchAll(EACH_MEMBER)].map(([, alias = "", path = ""]) => ({
    alias: nameOf(alias),
    path: pathOf(path, node),
  }));
}

/** Parses a text that may begin with `$`, with `@`, or bare, which means `@`. */
function pathOf(text: string, node: "$" | "@"): Path {
  const origin = text.startsWith("$") ? "$" : node;
  const rest = /^[$@]/.test(text) ? text.slice(1) : text.startsWith("[") ? text : `.${text}`;
  const segments = rest.match(EACH_SEGMENT)?.map(segmentOf) ?? [];
  const key = origin + segments.map((segment) => segment.key).join("");
  return { key, segments, isSingular: SINGULAR.test(key) };
}

function segmentOf(spelled: string): Segment {
  const [, dots = "", picked = ""] = /^[\t\n\r ]*(\.*)(.*)$/s.exec(spelled) ?? [];
  const picks = picked.startsWith("[") ? picked.match(EACH_SELECTOR) : [picked];
  const selectors = (picks ?? []).map(selectorOf);
  const descends = dots === "..";
  const key = `${descends ? ".." : ""}[${selectors.map((each) => each.key).join(",")}]`;
  return { key, descends, selectors };
}

function selectorOf(spelled: string): Selector {
  if (spelled === "*") return { key: "*" };
  if (!/^[-:0-9]/.test(spelled)) {
    const name = nameOf(spelled);
    return { key: JSON.stringify(name), name };
  }
  const [first, end, step = 1] = spelled
    .split(":")
    .map((digits) => (digits.trim() === "" ? undefined : Number(digits)));
  if (!spelled.includes(":") && first !== undefined) {
    const behind = first === -1 ? undefined : first + 1;
    return { key: String(first), slice: { start: first, end: behind, step } };
  }
  const start = first === 0 && step > 0 ? undefined : first;
  return { key: `${start ?? ""}:${end ?? ""}:${step}`, slice: { start, end, step } };
}

/** In double quotes, it is a JSON string already. In single quotes, it is converted to one. */
function nameOf(spelled: string): string {
  if (spelled.startsWith('"')) return JSON.parse(spelled);
  if (!spelled.startsWith("'")) return spelled;
  const body = spelled.slice(1, -1).replace(/\\'|"/g, (quote) => (quote === '"' ? '\\"' : "'"));
  return JSON.parse(`"${body}"`);
}
