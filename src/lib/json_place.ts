/**
 * The position of a value in a JSON text that a person has typed: the line of an RFC 6901 pointer.
 *
 * @module
 */

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const LINE_END = /\n/g;

interface Container {
  readonly isArray: boolean;
  /** Of the value that is read now: its key, or its place. */
  segment: string | number;
}

/**
 * The line on which a member's key, or an item, begins, from 1. If the pointer leads nowhere, the line of the last of its
 * containers that is there.
 *
 * @param json valid JSON
 */
export function lineOfPointer(json: string, pointer: string): number {
  const path = pointer
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
  const open: Container[] = [];
  /** How many segments of the path lead to the containers that are open. */
  let matched = 0;
  let best = { depth: 0, offset: Math.max(0, json.search(/\S/)) };
  const note = (offset: number) => {
    const container = open.at(-1);
    const isNext = container !== undefined && matched === open.length - 1;
    if (!isNext || String(container.segment) !== path[matched]) return;
    matched = open.length;
    if (matched > best.depth) best = { depth: matched, offset };
  };
  let isKey = false;
  for (const { 0: token, index } of json.matchAll(TOKENS)) {
    const container = open.at(-1);
    if (token === "}" || token === "]") {
      open.pop();
      matched = Math.min(matched, open.length);
      isKey = false;
    } else if (token === ",") {
      matched = Math.min(matched, open.length - 1);
      if (container?.isArray) container.segment = Number(container.segment) + 1;
      isKey = container?.isArray === false;
    } else if (token !== ":") {
      if (isKey && container !== undefined) {
        container.segment = keyOf(token);
        isKey = false;
        note(index);
        continue;
      }
      if (container?.isArray) note(index);
      if (token === "{" || token === "[") {
        if (best.depth === path.length && matched === path.length) break;
        open.push({ isArray: token === "[", segment: 0 });
        isKey = token === "{";
      }
    }
  }
  return lineOfOffset(json, best.offset);
}

/** The line of an offset, from 1. */
function lineOfOffset(text: string, offset: number): number {
  return (text.slice(0, offset).match(LINE_END)?.length ?? 0) + 1;
}

function keyOf(token: string): string {
  try {
    return JSON.parse(token);
  } catch {
    return token;
  }
}
