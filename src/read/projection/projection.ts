/**
 * Applies a projection to `data`: takes a `Projection` and JSON text, and returns JSON text.
 *
 * The path is evaluated on the text. One pass records where each value begins and ends, down to the depth that the
 * projection looks at. The selectors traverse these records in the order of RFC 9535, and the answer is joined from
 * slices. So numbers keep their digits, members keep their order, and no name is looked up in a JavaScript object.
 *
 * @module
 */
import { assert } from "../../lib/assert.ts";
import { numberAt } from "../../lib/number_at.ts";
import { PROJECTION_BYTES_MAX, PROJECTION_NODES_MAX, PROJECTION_VISITS_MAX } from "../../limits.ts";
import type { Path, Projection, Selector, Slice } from "./projection_parse.ts";

/** The result of a projection. */
export interface Projected {
  /** JSON text. */
  readonly text: string;
  /** The requested `fields` that no row contains. Empty if there is no row. */
  readonly fieldsNotFound: readonly string[];
  /** If no row contains any of `fields`: the names in the first row. */
  readonly fieldsThere: readonly string[];
}

/** Data without a projection. */
export function unprojected(text: string): Projected {
  return { text, fieldsNotFound: [], fieldsThere: [] };
}

/** `too_large` is 400 `JSONPATH_INVALID`, unless the projection only exceeded the caller's own `visitsMax`. */
export type ProjectionOutcome =
  | ({ readonly kind: "projected" } & Projected)
  | { readonly kind: "too_large"; readonly detail: string; readonly isCutOff: boolean };

/** The location of each value in a text. A node is the index of a value, in document order. */
interface Nodes {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** The first node that is no descendant: the next sibling, if there is one. */
  readonly nexts: Int32Array;
  /** Where a member's name starts. 0 for the elements of an array, `~i` for `escapedNames[i]`. */
  readonly names: Int32Array;
  readonly escapedNames: readonly string[];
}

/** A projection in progress, and what it has used. */
interface Run extends Nodes {
  readonly data: string;
  readonly visitsMax: number;
  visits: number;
  selected: number;
  /** UTF-16 units, of which there are never more than bytes. */
  units: number;
  /** The fields to keep that a row contained. */
  readonly fieldsFound: Set<string>;
  /** The first row from which fields are kept. */
  firstRow?: number;
}

/** The children that the selector picks are added to `found`. */
interface Pick {
  readonly run: Run;
  readonly selector: Selector;
  readonly found: number[];
}

/** Thrown when a limit is exceeded. Only `project` catches it. */
class TooLarge extends Error {}

const BYTES = `select at most ${PROJECTION_BYTES_MAX} bytes`;
const NODES = `select at most ${PROJECTION_NODES_MAX} nodes`;
const VISITS = `look at no more than ${PROJECTION_VISITS_MAX} nodes`;

const ROOT = 0;
/** Room for nodes, doubled as needed: zeroing it for each value of a large text would take longer than the pass. */
const NODES_AT_FIRST = 1_024;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;

/**
 * Applies a projection to `data`, which must be valid JSON text without a repeated name.
 *
 * A singular path returns the value or null, every other path an array. A construction returns an object for each node
 * of its path. Of each resulting object, only `fields` are kept.
 */
export function project(
  { path, members, fields = [] }: Projection,
  data: string,
  visitsMax = PROJECTION_VISITS_MAX,
): ProjectionOutcome {
  const spent = { visits: 0, selected: 0, units: 0 };
  const nodes = readNodes(data, depthOf({ path, members, fields }));
  const run: Run = { data, ...nodes, visitsMax, ...spent, fieldsFound: new Set() };
  const names = fields.length > 0 ? new Set(fields) : undefined;
  try {
    const rows = rowTexts(run, { path, from: ROOT, members, names });
    const text = textOf(path, rows);
    check(Buffer.byteLength(text), PROJECTION_BYTES_MAX, BYTES);
    const isMissing = (name: string) => rows.length > 0 && !run.fieldsFound.has(name);
    const fieldsNotFound = fields.filter(isMissing);
    const isNoneFound = fields.length > 0 && fieldsNotFound.length === fields.length;
    const fieldsThere = isNoneFound
      ? (members?.map(({ alias }) => alias) ?? namesIn(run, run.firstRow))
      : [];
    return { kind: "projected", text, fieldsNotFound, fieldsThere };
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    const isCutOff = run.visits > visitsMax && visitsMax < PROJECTION_VISITS_MAX;
    return { kind: "too_large", detail: error.message, isCutOff };
  }
}

/** The depth of the deepest node that a projection looks at. The depth of the root is 0. */
function depthOf({ path, members, fields = [] }: Omit<Projection, "key">): number {
  const below = members?.map((member) => reach(member.path)) ?? [fields.length > 0 ? 1 : 0];
  return reach(path) + Math.max(0, ...below);
}

function reach({ segments }: Path): number {
  return segments.some(({ descends }) => descends) ? Number.POSITIVE_INFINITY : segments.length;
}

function check(count: number, countMax: number, what: string): void {
  if (count <= countMax) return;
  throw new TooLarge(
    `jsonpath must ${what}. Select less of each row, use .. and * less often, or read fewer rows.`,
  );
}

interface Listed {
  readonly path: Path;
  readonly from: number;
  readonly members?: Projection["members"];
  /** Members to keep of each object. */
  readonly names?: ReadonlySet<string> | undefined;
}

/** The nodes of a path, or the objects made from them, as texts. */
function rowTexts(run: Run, { path, from, members, names }: Listed): string[] {
  const made = names === undefined ? members : members?.filter(({ alias }) => names.has(alias));
  return select(run, path, from).map((node) => {
    if (made !== undefined) return constructedText(run, made, node);
    if (names !== undefined) return keptText(run, names, node);
    return put(run, run.data.slice(run.starts[node], run.ends[node]));
  });
}

function textOf({ isSingular }: Path, texts: readonly string[]): string {
  return isSingular ? (texts[0] ?? "null") : `[${texts.join(",")}]`;
}

function constructedText(run: Run, members: NonNullable<Projection["members"]>, node: number) {
  const pairs = members.map(({ alias, path }) => {
    run.fieldsFound.add(alias);
    const value = textOf(path, rowTexts(run, { path, from: node }));
    return `${put(run, JSON.stringify(alias))}:${value}`;
  });
  return `{${pairs.join(",")}}`;
}

/** An object with some of its members. Any other value is unchanged. */
function keptText(run: Run, names: ReadonlySet<string>, node: number): string {
  const { data, starts, ends, nexts, fieldsFound } = run;
  const start = numberAt(starts, node);
  if (data.charCodeAt(start) !== OPEN_OBJECT) return put(run, data.slice(start, ends[node]));
  run.firstRow ??= node;
  const kept: string[] = [];
  const end = numberAt(nexts, node);
  for (let child = node + 1; child < end; child = numberAt(nexts, child)) {
    check(++run.visits, run.visitsMax, VISITS);
    const name = nameOf(run, child);
    if (!names.has(name)) continue;
    fieldsFound.add(name);
    kept.push(put(run, `${JSON.stringify(name)}:${data.slice(starts[child], ends[child])}`));
  }
  return `{${kept.join(",")}}`;
}

/** The names of an object's members. */
function namesIn(run: Run, node: number | undefined): string[] {
  if (node === undefined) return [];
  const found: string[] = [];
  const end = numberAt(run.nexts, node);
  for (let child = node + 1; child < end; child = numberAt(run.nexts, child)) {
    found.push(nameOf(run, child));
  }
  return found;
}

/** The name of a member. A name that was not recorded as escaped is the text between its quotes. */
function nameOf({ data, names, escapedNames }: Run, member: number): string {
  const at = numberAt(names, member);
  return at < 0 ? (escapedNames[~at] ?? "") : data.slice(at + 1, endOf(data, at) - 1);
}

/** Nested nodes repeat their text, so it is counted before the pieces are joined. */
function put(run: Run, text: string): string {
  run.units += text.length;
  check(run.units, PROJECTION_BYTES_MAX, BYTES);
  return text;
}

/** In the order and with the repetitions of RFC 9535, 2.1.2. */
function select(run: Run, { key, segments, isSingular }: Path, from: number): number[] {
  let nodes = [key.startsWith("$") ? ROOT : from];
  for (const { selectors, descends } of segments) {
    const found: number[] = [];
    const picks = selectors.map((selector): Pick => ({ run, selector, found }));
    for (const node of nodes) {
      const end = descends ? numberAt(run.nexts, node) : node + 1;
      for (let visited = node; visited < end; visited++) {
        for (const pick of picks) pickChildren(pick, visited);
      }
    }
    nodes = found;
  }
  run.selected += isSingular ? 1 : nodes.length;
  check(run.selected, PROJECTION_NODES_MAX, NODES);
  return nodes;
}

function pickChildren({ run, selector, found }: Pick, node: number): void {
  const { data, starts, nexts, names, escapedNames } = run;
  const { key, name, slice } = selector;
  check(++run.visits, run.visitsMax, VISITS);
  const isArray = data.charCodeAt(numberAt(starts, node)) === OPEN_ARRAY;
  if (isArray ? name !== undefined : slice !== undefined) return;
  const children = slice === undefined ? found : [];
  const end = numberAt(nexts, node);
  for (let child = node + 1; child < end; child = numberAt(nexts, child)) {
    run.visits++;
    const at = numberAt(names, child);
    // Names are compared by their JSON text in `data`.
    const isPicked =
      name === undefined || (at < 0 ? escapedNames[~at] === name : data.startsWith(key, at));
    if (isPicked) children.push(child);
  }
  if (slice === undefined) return;
  for (const at of positionsOf(slice, children.length)) found.push(children[at] ?? ROOT);
}

/** RFC 9535, 2.3.4.2.2. */
function positionsOf({ start, end, step }: Slice, length: number): number[] {
  const fromStart = (bound: number) => (bound < 0 ? length + bound : bound);
  const positions: number[] = [];
  if (step > 0) {
    const upper = Math.min(fromStart(end ?? length), length);
    for (let at = Math.max(fromStart(start ?? 0), 0); at < upper; at += step) positions.push(at);
  } else if (step < 0) {
    const lower = end === undefined ? -1 : Math.max(fromStart(end), -1);
    for (let at = Math.min(fromStart(start ?? -1), length - 1); at > lower; at += step)
      positions.push(at);
  }
  return positions;
}

/**
 * Splits the text into values in one pass. Values deeper than `depthMax` are skipped. The text must be valid JSON,
 * because only values and names are separated.
 */
function readNodes(text: string, depthMax: number): Nodes {
  // A value and its separator take at least two characters.
  const nodesMax = (text.length >> 1) + 1;
  const nodesExpected = Number.isFinite(depthMax) ? Math.min(nodesMax, NODES_AT_FIRST) : nodesMax;
  let starts = new Int32Array(nodesExpected);
  let ends = new Int32Array(nodesExpected);
  let nexts = new Int32Array(nodesExpected);
  let names = new Int32Array(nodesExpected);
  const escapedNames: string[] = [];
  const open: number[] = [];
  let name = 0;
  let node = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code <= SPACE) {
      at++;
    } else if (code === COLON) {
      // The last value was a name, which belongs to the next value.
      name = numberAt(starts, --node);
      const quoted = text.slice(name, ends[node]);
      if (quoted.includes("\\")) name = ~(escapedNames.push(JSON.parse(quoted)) - 1);
      at++;
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      const closed = open.pop() ?? ROOT;
      ends[closed] = ++at;
      nexts[closed] = node;
    } else {
      const isOpening = code === OPEN_OBJECT || code === OPEN_ARRAY;
      const isSkipped = isOpening && open.length === depthMax;
      if (isOpening && !isSkipped) open.push(node);
      if (node === starts.length) {
        starts = doubled(starts);
        ends = doubled(ends);
        nexts = doubled(nexts);
        names = doubled(names);
      }
      names[node] = name;
      name = 0;
      starts[node] = at;
      at = isSkipped ? endOfWhole(text, at) : endOf(text, at);
      ends[node] = at;
      nexts[node] = ++node;
    }
  }
  assert(open.length === 0 && node > 0, "data is JSON");
  return { starts, ends, nexts, names, escapedNames };
}

function doubled(list: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * list.length);
  larger.set(list);
  return larger;
}

/** The end of a string, number, or literal. For an array or object, the end of its opening bracket. */
function endOf(text: string, start: number): number {
  const opening = text.charCodeAt(start);
  let at = start + 1;
  if (opening === OPEN_OBJECT || opening === OPEN_ARRAY) return at;
  if (opening === QUOTE) {
    at = text.indexOf('"', at);
    while (isEscaped(text, at)) at = text.indexOf('"', at + 1);
    assert(at > 0, "every string of data is closed");
    return at + 1;
  }
  while (at < text.length && !endsScalar(text.charCodeAt(at))) at++;
  return at;
}

/** The end of an array or object, from its opening bracket to its closing one. */
function endOfWhole(text: string, start: number): number {
  let at = start;
  let depth = 0;
  do {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOf(text, at);
      continue;
    }
    if (code === OPEN_OBJECT || code === OPEN_ARRAY) depth++;
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) depth--;
    at++;
  } while (depth > 0);
  return at;
}

/** Whether an odd number of backslashes precedes it. */
function isEscaped(text: string, quote: number): boolean {
  let at = quote;
  while (text.charCodeAt(at - 1) === BACKSLASH) at--;
  return (quote - at) % 2 === 1;
}

function endsScalar(code: number): boolean {
  return code === COMMA || code === CLOSE_OBJECT || code === CLOSE_ARRAY || code <= SPACE;
}
