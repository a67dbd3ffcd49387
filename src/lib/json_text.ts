/**
 * An exact reader of JSON (RFC 8259) that keeps the provider's own text.
 *
 * It takes a text and returns it without insignificant white space, with the position of each value in it. Everything
 * else stays as sent, character for character: numbers are never converted to doubles, and keys keep their order.
 *
 * A text that is not JSON throws `JsonSyntaxError`. JSON that must not be stored (a duplicate key, a lone surrogate, a
 * number beyond the range of a double, nesting too deep) is read to its end, so that its size is known, and returned
 * with its `refusals`.
 *
 * The reader takes one pass, and copies nothing if the text has no white space. Rows mostly share their keys, so an
 * object is first compared with the keys of the previous object at the same depth. Matching keys are known to be
 * distinct and need no new strings, which halves the time: 0.2 ms for 500 rows of 230 bytes. The native parser, which
 * keeps neither digits nor positions, takes 0.1. See `src/spec/decisions.md`, section 5.
 *
 * @module
 */
import { assert } from "./assert.ts";
import { excerpt } from "./code_points.ts";

export type JsonKind = "object" | "array" | "string" | "number" | "boolean" | "null";

/** The position of one value in the compacted text. */
export interface JsonSpan {
  readonly kind: JsonKind;
  /** Offsets in `JsonText.text`, in UTF-16 units. `end` is exclusive. */
  readonly start: number;
  readonly end: number;
  /** Levels of nesting of this value: a scalar has 0, `{}` and `[]` have 1, `[[]]` has 2. */
  readonly height: number;
  /** An object's members in the order sent. Undefined at `spanDepth` and below. */
  readonly members: readonly JsonMember[] | undefined;
  /** An array's items. Undefined at `spanDepth` and below. */
  readonly items: readonly JsonSpan[] | undefined;
}

export interface JsonMember {
  /** Unescaped. */
  readonly key: string;
  readonly value: JsonSpan;
}

export interface JsonText {
  /** The source without insignificant white space. */
  readonly text: string;
  readonly root: JsonSpan;
}

/** The result of reading a text. It must not be stored if there are refusals. */
export interface ScannedJson extends JsonText {
  /** The first refusals, in text order. */
  readonly refusals: readonly JsonRefusal[];
  /** The number of all refusals. */
  readonly refusalCount: number;
}

export interface ScanOptions {
  /** Levels of containers whose members and items get spans: 0 for none, 1 for the root's, and so on. */
  readonly spanDepth: number;
  /** The most levels of nesting of the whole text. At most 1,000, because the reader is recursive. */
  readonly heightMax: number;
  /** The number of levels to name in messages. @default heightMax */
  readonly heightNamed?: number;
  /** The number of the text's first line, for syntax errors. @default 1 */
  readonly firstLine?: number;
  /** RFC 6901 pointer of the text inside the body, which prefixes each refusal's path. @default "" */
  readonly path?: string;
  /** The number of refusals that are described. All are counted. @default 1 */
  readonly refusalsMax?: number;
  /** The keys of the previous text, if texts with the same keys are read one after another. @default none */
  readonly keys?: KnownKeys;
}

/** By depth, the keys of the last object that was read key by key. Starts empty, and each text updates it. */
export type KnownKeys = (readonly string[])[];

/** A value that must not be stored. */
export interface JsonRefusal {
  /**
   * RFC 6901 pointer of the value, or of the object if one of its keys is at fault. If it would be longer than
   * `POINTER_LENGTH_MAX`, it is that of an enclosing container.
   */
  readonly path: string;
  readonly message: string;
}

/** The text is not JSON. The message says what was expected, what was found, and where. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
  /** From the text's first line on. */
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/** Characters of a pointer in an answer. A body may contain keys of megabytes. */
const POINTER_LENGTH_MAX = 4_096;
/** Characters of one number. */
export const NUMBER_LENGTH_MAX = 1_000;
/** RFC 8259, section 6. */
export const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const HEIGHT_LIMIT = 1_000;
/** Up to this length, a number without exponent is within the range of a double, whatever its digits. */
const NUMBER_LENGTH_SAFE = 300;
/** Up to this many keys are compared one by one, which is faster than a set. */
const KEYS_COMPARED_MAX = 16;
const ASCII_LAST = 0x7e;

const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const LOWER_E = 0x65;
const LOWER_F = 0x66;
const LOWER_N = 0x6e;
const LOWER_T = 0x74;
const LOWER_U = 0x75;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** The bit that is set in lower-case ASCII letters and clear in capitals. */
const CASE_BIT = 0x20;
const SURROGATE_FIRST = 0xd800;
const SURROGATE_LOW_FIRST = 0xdc00;
const SURROGATE_LAST = 0xdfff;

/** Reads `source`. @throws {JsonSyntaxError} */
export function scanJson(source: string, options: ScanOptions): ScannedJson {
  assert(options.heightMax <= HEIGHT_LIMIT, "the reader's recursion is bounded");
  return new Scanner(source, options).scan();
}

/** The JSON text of one value. */
export function textOf(json: JsonText, span: JsonSpan): string {
  return json.text.slice(span.start, span.end);
}

/** The unescaped content of a string's span. */
export function stringOf(json: JsonText, span: JsonSpan): string {
  assert(span.kind === "string", "only a string has string content");
  return unescaped(json.text.slice(span.start, span.end));
}

/** The value of an object's member, if that depth has spans and the object has a member with this key. */
export function findMember(span: JsonSpan, key: string): JsonSpan | undefined {
  return span.members?.find((member) => member.key === key)?.value;
}

/** Whether a double can represent the number at least roughly: not too large, and not rounded to zero. */
function isWithinDouble(text: string): boolean {
  const value = Number(text);
  return Number.isFinite(value) && (value !== 0 || !/^[^eE]*[1-9]/.test(text));
}

/** Whether a text is a number that JSON can hold and that may be stored. */
export function isNumberText(text: string): boolean {
  return text.length <= NUMBER_LENGTH_MAX && JSON_NUMBER.test(text) && isWithinDouble(text);
}

/** An RFC 6901 JSON Pointer: `pointerTo("payload", 3, "a/b")` is `/payload/3/a~1b`. */
export function pointerTo(...segments: readonly (string | number)[]): string {
  return segments
    .map((segment) => `/${String(segment).replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
}

/** The pointer, or if it is too long, that of the nearest container whose pointer is not. */
export function boundedPointer(pointer: string): string {
  if (pointer.length <= POINTER_LENGTH_MAX) return pointer;
  return pointer.slice(0, Math.max(0, pointer.lastIndexOf("/", POINTER_LENGTH_MAX)));
}

/** The content of a valid string literal, quotes included. */
function unescaped(literal: string): string {
  return literal.includes("\\") ? JSON.parse(literal) : literal.slice(1, -1);
}

/** One character, as shown in a message. Invisible and ambiguous characters are shown by number. */
function named(codePoint: number | undefined): string {
  if (codePoint === undefined) return "the end";
  if (codePoint > ASCII_LAST) return `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`;
  return JSON.stringify(String.fromCharCode(codePoint));
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

/** The keys of one object, compared as text after unescaping. `__proto__` is a key like any other. */
class DistinctKeys {
  #set: Set<string> | undefined;
  /** Whether a key is spelled with an escape, in which case `list` can't be compared with a text. */
  hasEscapes = false;

  constructor(readonly list: string[]) {}

  /** Adds a key. Returns false if it is a duplicate. */
  add(key: string): boolean {
    if (this.#set === undefined ? this.list.includes(key) : this.#set.has(key)) return false;
    this.list.push(key);
    if (this.#set !== undefined) this.#set.add(key);
    else if (this.list.length > KEYS_COMPARED_MAX) this.#set = new Set(this.list);
    return true;
  }
}

/** One pass over one text. Depth is the number of containers around a value. */
class Scanner {
  #position = 0;
  /** White space removed before `position`. An offset in the compacted text is `position - removed`. */
  #removed = 0;
  readonly #pieces: string[] = [];
  #pieceStart = 0;
  /** The span of the value read last, if its depth has spans. */
  #made: JsonSpan | undefined;
  /** For each container, the segment of the value being read in it. */
  readonly #path: (string | number)[] = [];
  readonly #knownKeys: KnownKeys;
  readonly #refusals: JsonRefusal[] = [];
  #refusalCount = 0;
  /** The position of the last refusal. A scalar is refused only once, whatever it contains. */
  #refusedAt = -1;
  /** Whether the position is in a container that is refused as a whole. */
  #isPassedOver = false;
  readonly #source: string;
  readonly #isWellFormed: boolean;
  readonly #options: Required<ScanOptions>;

  constructor(source: string, options: ScanOptions) {
    this.#source = source;
    this.#isWellFormed = source.isWellFormed();
    this.#options = {
      heightNamed: options.heightMax,
      firstLine: 1,
      path: "",
      refusalsMax: 1,
      keys: [],
      ...options,
    };
    this.#knownKeys = this.#options.keys;
  }

  scan(): ScannedJson {
    this.#scanValue(0);
    const root = this.#made;
    this.#next();
    if (this.#position < this.#source.length) this.#fail("the end of the text", this.#position);
    assert(root !== undefined, "the root has a span");
    const refusals = this.#refusals;
    return { text: this.#compacted(), root, refusals, refusalCount: this.#refusalCount };
  }

  /** Reads one value and returns its height. */
  #scanValue(depth: number): number {
    const code = this.#next();
    const start = this.#position - this.#removed;
    const hasSpans = depth < this.#options.spanDepth;
    let kind: JsonKind;
    let height = 0;
    let members: JsonMember[] | undefined;
    let items: JsonSpan[] | undefined;
    if (code === OPEN_BRACE) {
      kind = "object";
      members = hasSpans ? [] : undefined;
      height =
        depth < this.#options.heightMax
          ? this.#scanObject(depth, members)
          : this.#refuseDeep(depth);
    } else if (code === OPEN_BRACKET) {
      kind = "array";
      items = hasSpans ? [] : undefined;
      height =
        depth < this.#options.heightMax ? this.#scanArray(depth, items) : this.#refuseDeep(depth);
    } else {
      kind = this.#scanScalar(code, depth);
    }
    if (depth <= this.#options.spanDepth) {
      this.#made = { kind, start, end: this.#position - this.#removed, height, members, items };
    }
    return height;
  }

  /** Reads an object from its brace at `position`, and returns its height. */
  #scanObject(depth: number, members: JsonMember[] | undefined): number {
    this.#position++;
    if (this.#next() === CLOSE_BRACE) {
      this.#position++;
      return 1;
    }
    const known = this.#knownKeys[depth];
    /** The keys so far, once they differ from those of the previous object. */
    let keys: DistinctKeys | undefined;
    let heightInside = 0;
    for (let index = 0; ; index++) {
      let key = keys === undefined ? this.#matchKey(known?.[index]) : undefined;
      if (key === undefined) {
        keys ??= new DistinctKeys(known?.slice(0, index) ?? []);
        key = this.#scanKey(depth, keys);
      }
      this.#path[depth] = key;
      this.#passColon();
      heightInside = Math.max(heightInside, this.#scanValue(depth + 1));
      const value = this.#made;
      if (members !== undefined && value !== undefined) members.push({ key, value });
      const code = this.#next();
      if (code === CLOSE_BRACE) break;
      if (code !== COMMA) this.#fail('"," or "}"', this.#position);
      this.#position++;
    }
    this.#position++;
    if (keys?.hasEscapes === false) this.#knownKeys[depth] = keys.list;
    return heightInside + 1;
  }

  /** Reads an array from its bracket at `position`, and returns its height. */
  #scanArray(depth: number, items: JsonSpan[] | undefined): number {
    this.#position++;
    if (this.#next() === CLOSE_BRACKET) {
      this.#position++;
      return 1;
    }
    let heightInside = 0;
    for (let index = 0; ; index++) {
      this.#path[depth] = index;
      heightInside = Math.max(heightInside, this.#scanValue(depth + 1));
      const item = this.#made;
      if (items !== undefined && item !== undefined) items.push(item);
      const code = this.#next();
      if (code === CLOSE_BRACKET) break;
      if (code !== COMMA) this.#fail('"," or "]"', this.#position);
      this.#position++;
    }
    this.#position++;
    return heightInside + 1;
  }

  /** Skips a container that is one level too deep, without recursion, checking only its syntax. */
  #refuseDeep(depth: number): number {
    this.#refuse(depth, `nesting must not go deeper than ${this.#options.heightNamed} levels`);
    this.#isPassedOver = true;
    /** The closing brackets of the open containers. */
    const ends: number[] = [];
    for (;;) {
      const code = this.#next();
      if (code === OPEN_BRACE || code === OPEN_BRACKET) {
        this.#position++;
        const end = code === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET;
        if (this.#next() !== end) {
          ends.push(end);
          if (end === CLOSE_BRACE) this.#passKey(depth);
          continue;
        }
        this.#position++;
      } else {
        this.#scanScalar(code, depth);
      }
      while (ends.length > 0 && this.#next() === ends.at(-1)) {
        ends.pop();
        this.#position++;
      }
      const end = ends.at(-1);
      if (end === undefined) break;
      if (this.#next() !== COMMA)
        this.#fail(`"," or "${String.fromCharCode(end)}"`, this.#position);
      this.#position++;
      if (end === CLOSE_BRACE) this.#passKey(depth);
    }
    this.#isPassedOver = false;
    return 0;
  }

  #passKey(depth: number): void {
    if (this.#next() !== QUOTE) this.#fail("a key in double quotes", this.#position);
    this.#scanString(depth);
    this.#passColon();
  }

  #passColon(): void {
    if (this.#next() !== COLON) this.#fail('":"', this.#position);
    this.#position++;
  }

  /** Skips a key that is spelled exactly like `key`. If it is not, returns undefined and does not move. */
  #matchKey(key: string | undefined): string | undefined {
    if (key === undefined || this.#next() !== QUOTE) return undefined;
    const source = this.#source;
    const start = this.#position + 1;
    const { length } = key;
    if (source.charCodeAt(start + length) !== QUOTE) return undefined;
    for (let index = 0; index < length; index++) {
      if (source.charCodeAt(start + index) !== key.charCodeAt(index)) return undefined;
    }
    this.#position = start + length + 1;
    return key;
  }

  /** Reads a key and adds it to those of its object. A duplicate key is refused. */
  #scanKey(depth: number, keys: DistinctKeys): string {
    if (this.#next() !== QUOTE) this.#fail("a key in double quotes", this.#position);
    const start = this.#position;
    this.#scanString(depth);
    const literal = this.#source.slice(start, this.#position);
    const key = unescaped(literal);
    keys.hasEscapes ||= key.length !== literal.length - 2;
    if (!keys.add(key)) {
      this.#path[depth] = key;
      this.#refuse(depth + 1, `an object must not have one key twice, got ${excerpt(literal)}`);
    }
    return key;
  }

  #scanScalar(code: number, depth: number): JsonKind {
    if (code === QUOTE) {
      this.#scanString(depth);
      return "string";
    }
    if (code === MINUS || isDigit(code)) {
      this.#scanNumber(depth);
      return "number";
    }
    if (code === LOWER_T && this.#passWord("true")) return "boolean";
    if (code === LOWER_F && this.#passWord("false")) return "boolean";
    if (code === LOWER_N && this.#passWord("null")) return "null";
    return this.#fail("a value", this.#position);
  }

  #passWord(word: string): boolean {
    if (!this.#source.startsWith(word, this.#position)) return false;
    this.#position += word.length;
    return true;
  }

  /** Reads a string from its quote. `depth` is that of the value a refusal points to. */
  #scanString(depth: number): void {
    const source = this.#source;
    const start = this.#position;
    let at = start + 1;
    for (;;) {
      const code = source.charCodeAt(at);
      if (code === QUOTE) break;
      if (code === BACKSLASH) at = this.#scanEscape(at, depth);
      else if (code >= SPACE) at++;
      else this.#fail("a closing quote (control characters must be escaped)", at);
    }
    if (!this.#isWellFormed && !source.slice(start, at).isWellFormed()) {
      this.#refuse(depth, "a string must not hold a lone surrogate");
    }
    this.#position = at + 1;
  }

  /** Reads the escape at `at` and returns the position after it. A surrogate pair is read as a whole. */
  #scanEscape(at: number, depth: number): number {
    const source = this.#source;
    if (source.charCodeAt(at + 1) !== LOWER_U) {
      const letter = source.charAt(at + 1);
      if (letter === "" || !'"\\/bfnrt'.includes(letter)) this.#fail("an escape of JSON", at + 1);
      return at + 2;
    }
    const unit = this.#hexAt(at + 2);
    const isSurrogate = unit >= SURROGATE_FIRST && unit <= SURROGATE_LAST;
    if (unit < SURROGATE_LOW_FIRST && isSurrogate && source.startsWith("\\u", at + 6)) {
      const low = this.#hexAt(at + 8);
      if (low >= SURROGATE_LOW_FIRST && low <= SURROGATE_LAST) return at + 12;
    }
    if (unit === 0) this.#refuse(depth, "a string must not hold the character \\u0000");
    if (isSurrogate) this.#refuse(depth, "a string must not hold a lone surrogate");
    return at + 6;
  }

  /** The value of four hexadecimal digits. */
  #hexAt(at: number): number {
    const digits = this.#source.slice(at, at + 4);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.#fail("four hexadecimal digits after \\u", at);
    return Number.parseInt(digits, 16);
  }

  /** RFC 8259, section 6: no leading zero, no bare dot. */
  #scanNumber(depth: number): void {
    const source = this.#source;
    let at = this.#position;
    if (source.charCodeAt(at) === MINUS) at++;
    at = source.charCodeAt(at) === ZERO ? at + 1 : this.#passDigits(at);
    if (source.charCodeAt(at) === DOT) at = this.#passDigits(at + 1);
    const hasExponent = (source.charCodeAt(at) | CASE_BIT) === LOWER_E;
    if (hasExponent) {
      const sign = source.charCodeAt(at + 1);
      at = this.#passDigits(sign === PLUS || sign === MINUS ? at + 2 : at + 1);
    }
    if (hasExponent || at - this.#position > NUMBER_LENGTH_SAFE) {
      this.#checkNumber(source.slice(this.#position, at), depth);
    }
    this.#position = at;
  }

  /** The end of a sequence of at least one digit. */
  #passDigits(start: number): number {
    const source = this.#source;
    let at = start;
    while (isDigit(source.charCodeAt(at))) at++;
    if (at === start) this.#fail("a digit", at);
    return at;
  }

  /** Refuses a number that a double can't represent even roughly: too large, or rounded to zero. */
  #checkNumber(text: string, depth: number): void {
    if (text.length > NUMBER_LENGTH_MAX) {
      this.#refuse(depth, `a number must be at most ${NUMBER_LENGTH_MAX} characters long`);
      return;
    }
    if (isWithinDouble(text)) return;
    this.#refuse(depth, `a number must be within the range of a double, got ${excerpt(text)}`);
  }

  /** The code of the next character that is not white space, or NaN at the end of the text. */
  #next(): number {
    const code = this.#source.charCodeAt(this.#position);
    return code > SPACE ? code : this.#passSpace();
  }

  #passSpace(): number {
    const source = this.#source;
    const position = this.#position;
    let at = position;
    let code = source.charCodeAt(at);
    while (code === SPACE || code === 0x0a || code === 0x0d || code === 0x09) {
      code = source.charCodeAt(++at);
    }
    if (at > position) {
      if (position > this.#pieceStart) this.#pieces.push(source.slice(this.#pieceStart, position));
      this.#pieceStart = at;
      this.#removed += at - position;
      this.#position = at;
    }
    return code;
  }

  #compacted(): string {
    if (this.#removed === 0) return this.#source;
    this.#pieces.push(this.#source.slice(this.#pieceStart));
    return this.#pieces.join("");
  }

  /** Records a refusal. Reading continues, because a syntax error takes precedence. */
  #refuse(depth: number, message: string): void {
    if (this.#isPassedOver || this.#position === this.#refusedAt) return;
    this.#refusedAt = this.#position;
    this.#refusalCount++;
    if (this.#refusals.length >= this.#options.refusalsMax) return;
    this.#refusals.push({ path: this.#options.path + this.#pointerWithin(depth), message });
  }

  /** The pointer of the value at a depth, bounded. Segments that are too long are not even escaped. */
  #pointerWithin(depth: number): string {
    let levels = 0;
    for (let length = 0; levels < depth; levels++) {
      length += String(this.#path[levels]).length + 1;
      if (length > POINTER_LENGTH_MAX) break;
    }
    return boundedPointer(pointerTo(...this.#path.slice(0, levels)));
  }

  #fail(expected: string, at: number): never {
    const before = this.#source.slice(0, at);
    const line = this.#options.firstLine + before.split("\n").length - 1;
    const column = at - before.lastIndexOf("\n");
    const found = named(this.#source.codePointAt(at));
    throw new JsonSyntaxError(
      `expected ${expected}, found ${found} at line ${line}, column ${column}`,
      line,
    );
  }
}
