/**
 * Splits JSON text without parsing it, so that numbers beyond 2^53, decimals, and the order of keys stay as they were
 * pushed. The input must be valid JSON: an answer of a gateway, or a row of one.
 *
 * @module
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** The members of an object, each value as text. If a name is repeated, the last one counts. */
export function memberTexts(object: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  let at = skipSpaces(object, skipSpaces(object, 0) + 1);
  while (at < object.length && !CLOSING.has(object.charCodeAt(at))) {
    const nameEnd = stringEnd(object, at);
    const name: string = JSON.parse(object.slice(at, nameEnd));
    at = skipSpaces(object, nameEnd);
    if (object.charCodeAt(at) !== COLON) throw new SyntaxError("a member has no value");
    at = skipSpaces(object, at + 1);
    const end = valueEnd(object, at);
    members.set(name, object.slice(at, end));
    at = nextItem(object, end);
  }
  return members;
}

/** The elements of an array as texts. */
export function elementTexts(array: string): string[] {
  const elements: string[] = [];
  let at = skipSpaces(array, skipSpaces(array, 0) + 1);
  while (at < array.length && !CLOSING.has(array.charCodeAt(at))) {
    const end = valueEnd(array, at);
    elements.push(array.slice(at, end));
    at = nextItem(array, end);
  }
  return elements;
}

/** Whether a value is an array. */
export function isArrayText(value: string): boolean {
  return value.trimStart().startsWith("[");
}

/** The position after the comma, or of the closing bracket. */
function nextItem(text: string, end: number): number {
  const at = skipSpaces(text, end);
  return text.charCodeAt(at) === COMMA ? skipSpaces(text, at + 1) : at;
}

function skipSpaces(text: string, from: number): number {
  let at = from;
  while (SPACES.has(text.charCodeAt(at))) at++;
  return at;
}

/** The end of the string that begins at `from`. */
function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === BACKSLASH) at++;
    else if (unit === QUOTE) return at + 1;
  }
  throw new SyntaxError("unterminated string");
}

/** The end of the value that begins at `from`. */
function valueEnd(text: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      at = stringEnd(text, at);
      if (depth === 0) return at;
      continue;
    }
    if (OPENING.has(unit)) depth++;
    else if (CLOSING.has(unit)) {
      // The closing bracket of the container of this value.
      if (depth === 0) return at;
      depth--;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (unit === COMMA || SPACES.has(unit))) return at;
    at++;
  }
  return at;
}
