/**
 * The `jsonpath` parameter, parsed: RFC 9535 without filter selectors and functions, and object
 * construction. Decisions 6.
 *
 * In goes the decoded text, out comes a `Projection` that needs no further check. The grammar is that
 * of RFC 9535 section 2 to the letter (escapes, white space, the I-JSON range of integers), and beside
 * it:
 *
 *     projection   = path / [path "."] construction      ; without a path: applied to `data`
 *     construction = "{" S member *(S "," S member) S "}"
 *     member       = (name / quoted string) S ":" S member-path
 *     member-path  = "$" segments                         ; from `data`
 *                  / "@" segments                         ; from the node
 *                  / (name / "*" / bracketed) segments    ; bare: as if `@.` or `@` stood before it
 *
 * A bare path therefore begins with a name, `*` or `[`; one that descends at once is written `@..name`.
 * There are no constructions within constructions, and none without a member.
 *
 * @module
 */
import { codePointsOf } from "../lib/code_points.ts";
import { JSONPATH_LENGTH_MAX } from "../limits.ts";

/** What one selector picks among the children of a node. RFC 9535 section 2.3. */
export type Selector =
  | NameSelector
  | { readonly kind: "index" /** Below zero: from the end. */; readonly index: number }
  | SliceSelector
  | { readonly kind: "wildcard" };

export interface NameSelector {
  readonly kind: "name";
  readonly name: string;
  /** The name as JSON text, which is how it stands in data. */
  readonly quoted: string;
}

/** `[start:end:step]`; an omitted bound depends on the direction, so it stays undefined. */
export interface SliceSelector {
  readonly kind: "slice";
  readonly start: number | undefined;
  readonly end: number | undefined;
  readonly step: number;
}

/** One step of a path: selectors for the node's children, or for those of all its descendants too. */
export interface Segment {
  readonly descends: boolean;
  readonly selectors: readonly Selector[];
}

export interface Path {
  /** Where it begins: at `data` (`$`), or at the node that a construction is applied to (`@`). */
  readonly origin: "data" | "node";
  readonly segments: readonly Segment[];
  /** It can match one node at most: names and indices only. RFC 9535 section 2.3.5.1. */
  readonly singular: boolean;
}

export interface Member {
  readonly alias: string;
  readonly path: Path;
}

export type Projection =
  | { readonly kind: "path"; readonly path: Path }
  | { readonly kind: "construction"; readonly source: Path; readonly members: readonly Member[] };

/** `invalid` is 400 `JSONPATH_INVALID`, `filter_disabled` 400 `JSONPATH_FILTER_DISABLED`. */
export type ProjectionParse =
  | { readonly kind: "parsed"; readonly projection: Projection }
  | { readonly kind: "invalid"; readonly detail: string }
  | { readonly kind: "filter_disabled"; readonly detail: string };

/** Position in a text; the functions below move `at` past what they have read. */
interface Reader {
  readonly text: string;
  at: number;
}

/** Thrown by the readers below, caught by `parseProjection` alone. */
class SyntaxRefusal extends Error {}

const HEX = "[0-9A-Fa-f]";
const ESCAPE = `[\\\\/bfnrt]|u(?:[0-9ABCEFabcef]${HEX}{3}|[Dd](?:[0-7]${HEX}{2}|[89ABab]${HEX}{2}\\\\u[Dd][C-Fc-f]${HEX}{2}))`;
const UNESCAPED = "\\\\\\u0000-\\u001F\\uD800-\\uDFFF";
const DOUBLE_QUOTED = new RegExp(`"(?:[^"${UNESCAPED}]|\\\\(?:"|${ESCAPE}))*"`, "uy");
const SINGLE_QUOTED = new RegExp(`'(?:[^'${UNESCAPED}]|\\\\(?:'|${ESCAPE}))*'`, "uy");
const NAME = /[A-Z_a-z\u0080-\uD7FF\uE000-\u{10FFFF}][0-9A-Z_a-z\u0080-\uD7FF\uE000-\u{10FFFF}]*/uy;
const INTEGER = /0|-?[1-9][0-9]*/y;
const SPACES = /[\t\n\r ]*/y;
const QUOTED_ANYHOW = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/gs;
const FILTER = /[()]|(?:^|[[,.])[\t\n\r ]*\?/;
const NAME_EXPECTED = "a name or * (other names go in quotes: ['first name'])";

/** Reads a decoded `jsonpath`. Never throws; each detail is one sentence for the caller. */
export function parseProjection(text: string): ProjectionParse {
  if (codePointsOf(text) > JSONPATH_LENGTH_MAX) {
    const detail = `jsonpath must have at most ${JSONPATH_LENGTH_MAX} characters; select less, or read the feed without it.`;
    return { kind: "invalid", detail };
  }
  try {
    return { kind: "parsed", projection: readProjection({ text, at: 0 }) };
  } catch (error) {
    if (!(error instanceof SyntaxRefusal)) throw error;
    if (!holdsFilter(text)) return { kind: "invalid", detail: error.message };
    const detail =
      "jsonpath takes no filter, script or function; select by names, indices, slices and wildcards, and filter rows with <field>=eq.<value>.";
    return { kind: "filter_disabled", detail };
  }
}

/** One text for all spellings of a projection (`$.a` and `$['a']`), itself a projection: a cache key. */
export function projectionKey(projection: Projection): string {
  if (projection.kind === "path") return pathKey(projection.path);
  const members = projection.members.map(
    ({ alias, path }) => `${JSON.stringify(alias)}:${pathKey(path)}`,
  );
  return `${pathKey(projection.source)}.{${members.join(",")}}`;
}

function pathKey({ origin, segments }: Path): string {
  let key = origin === "data" ? "$" : "@";
  for (const { descends, selectors } of segments) {
    key += `${descends ? ".." : ""}[${selectors.map(selectorKey).join(",")}]`;
  }
  return key;
}

function selectorKey(selector: Selector): string {
  switch (selector.kind) {
    case "name":
      return selector.quoted;
    case "index":
      return String(selector.index);
    case "wildcard":
      return "*";
    case "slice": {
      const start = selector.start === 0 && selector.step > 0 ? "" : (selector.start ?? "");
      return `${start}:${selector.end ?? ""}:${selector.step}`;
    }
  }
}

/** A refused text that tries to filter or to run something, rather than a slip of the pen. */
function holdsFilter(text: string): boolean {
  return FILTER.test(text.replace(QUOTED_ANYHOW, "_"));
}

function readProjection(reader: Reader): Projection {
  const projection = readWhole(reader);
  if (reader.at < reader.text.length)
    refuse(reader, "nothing more, or a segment (.name, [0], [*]),");
  return projection;
}

function readWhole(reader: Reader): Projection {
  if (reader.text.startsWith("{")) {
    const source: Path = { origin: "data", segments: [], singular: true };
    return { kind: "construction", source, members: readMembers(reader, source) };
  }
  if (!take(reader, "$")) refuse(reader, "$ (the data) or { (an object to construct)");
  const path = pathOf("data", readSegments(reader));
  const pathEnd = reader.at;
  skipSpaces(reader);
  if (!reader.text.startsWith(".{", reader.at)) {
    reader.at = pathEnd;
    return { kind: "path", path };
  }
  reader.at++;
  return { kind: "construction", source: path, members: readMembers(reader, path) };
}

function readMembers(reader: Reader, source: Path): Member[] {
  const members: Member[] = [];
  const aliases = new Set<string>();
  reader.at++;
  do {
    skipSpaces(reader);
    const start = reader.at;
    const alias = readQuoted(reader) ?? readName(reader) ?? refuse(reader, "an alias");
    if (aliases.has(alias)) {
      reader.at = start;
      refuse(reader, "an alias that is not used before");
    }
    aliases.add(alias);
    skipSpaces(reader);
    if (!take(reader, ":")) refuse(reader, ": after the alias (alias: path)");
    skipSpaces(reader);
    members.push({ alias, path: readMemberPath(reader, source) });
    skipSpaces(reader);
  } while (take(reader, ","));
  if (!take(reader, "}")) refuse(reader, ", or }");
  return members;
}

/** Where the construction is applied to `data`, node and data are one, and so are their paths. */
function readMemberPath(reader: Reader, source: Path): Path {
  const node = source.segments.length === 0 ? "data" : "node";
  if (take(reader, "$")) return pathOf("data", readSegments(reader));
  if (take(reader, "@") || reader.text.startsWith("[", reader.at)) {
    return pathOf(node, readSegments(reader));
  }
  const first = readDotted(reader) ?? refuse(reader, "a path that begins with $, @, [ or a name");
  return pathOf(node, [{ descends: false, selectors: [first] }, ...readSegments(reader)]);
}

function pathOf(origin: Path["origin"], segments: Segment[]): Path {
  const singular = segments.every(
    ({ descends, selectors: [first, ...rest] }) =>
      !descends && rest.length === 0 && (first?.kind === "name" || first?.kind === "index"),
  );
  return { origin, segments, singular };
}

/** White space belongs to the path only where a segment follows it. RFC 9535 section 2.1.1. */
function readSegments(reader: Reader): Segment[] {
  const segments: Segment[] = [];
  for (;;) {
    const before = reader.at;
    skipSpaces(reader);
    const segment = readSegment(reader);
    if (segment === undefined) {
      reader.at = before;
      return segments;
    }
    segments.push(segment);
  }
}

function readSegment(reader: Reader): Segment | undefined {
  if (reader.text.startsWith(".{", reader.at)) return undefined;
  const descends = take(reader, "..");
  if (take(reader, "[")) {
    return { descends, selectors: readBracketed(reader) };
  }
  if (!descends && !take(reader, ".")) return undefined;
  return { descends, selectors: [readDotted(reader) ?? refuse(reader, NAME_EXPECTED)] };
}

function readDotted(reader: Reader): Selector | undefined {
  if (take(reader, "*")) return { kind: "wildcard" };
  const name = readName(reader);
  return name === undefined ? undefined : nameSelector(name);
}

function readBracketed(reader: Reader): Selector[] {
  const selectors: Selector[] = [];
  do {
    skipSpaces(reader);
    selectors.push(readSelector(reader));
    skipSpaces(reader);
  } while (take(reader, ","));
  if (!take(reader, "]")) refuse(reader, ", or ]");
  return selectors;
}

function readSelector(reader: Reader): Selector {
  if (take(reader, "*")) return { kind: "wildcard" };
  const name = readQuoted(reader);
  if (name !== undefined) return nameSelector(name);
  const start = readInteger(reader);
  const startEnd = reader.at;
  skipSpaces(reader);
  if (take(reader, ":")) return readSlice(reader, start);
  reader.at = startEnd;
  if (start === undefined) refuse(reader, "a quoted name, an index, a slice or *");
  return { kind: "index", index: start };
}

function readSlice(reader: Reader, start: number | undefined): SliceSelector {
  skipSpaces(reader);
  const end = readInteger(reader);
  skipSpaces(reader);
  if (!take(reader, ":")) return { kind: "slice", start, end, step: 1 };
  skipSpaces(reader);
  return { kind: "slice", start, end, step: readInteger(reader) ?? 1 };
}

function nameSelector(name: string): NameSelector {
  return { kind: "name", name, quoted: JSON.stringify(name) };
}

function readName(reader: Reader): string | undefined {
  return match(reader, NAME);
}

/** Within the I-JSON range, so that it is exact. RFC 9535 section 2.1. */
function readInteger(reader: Reader): number | undefined {
  const start = reader.at;
  const digits = match(reader, INTEGER);
  if (digits === undefined || Number.isSafeInteger(Number(digits))) {
    return digits === undefined ? undefined : Number(digits);
  }
  reader.at = start;
  refuse(reader, "an integer between -(2^53 - 1) and 2^53 - 1");
}

/** A string literal, decoded. In double quotes it is a JSON string; in single ones it becomes one. */
function readQuoted(reader: Reader): string | undefined {
  const double = match(reader, DOUBLE_QUOTED);
  if (double !== undefined) return JSON.parse(double);
  const single = match(reader, SINGLE_QUOTED);
  if (single !== undefined) {
    const body = single.slice(1, -1).replace(/\\'|"/g, (quote) => (quote === '"' ? '\\"' : "'"));
    return JSON.parse(`"${body}"`);
  }
  if (/["']/y.test(reader.text.charAt(reader.at))) {
    refuse(reader, "a quoted name that is closed and escaped as in JSON");
  }
  return undefined;
}

function skipSpaces(reader: Reader): void {
  match(reader, SPACES);
}

function take(reader: Reader, token: string): boolean {
  if (!reader.text.startsWith(token, reader.at)) return false;
  reader.at += token.length;
  return true;
}

/** What a sticky expression matches here. */
function match(reader: Reader, expression: RegExp): string | undefined {
  expression.lastIndex = reader.at;
  const found = expression.exec(reader.text)?.[0];
  reader.at += found?.length ?? 0;
  return found;
}

function refuse(reader: Reader, expected: string): never {
  const [found] = reader.text.slice(reader.at);
  const place = `character ${codePointsOf(reader.text.slice(0, reader.at)) + 1}`;
  const got = found === undefined ? "nothing" : JSON.stringify(found);
  throw new SyntaxRefusal(`jsonpath needs ${expected} at ${place}, got ${got}.`);
}
