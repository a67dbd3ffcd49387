/**
 * ECMA-262 patterns (with the `u` flag), matched in time linear in the text.
 *
 * A backtracking engine takes exponential time on `^(a+)+$`; RE2 does not backtrack. The two dialects
 * differ in white space, the dot, property names and escapes, so a pattern is first checked by the
 * platform's own `RegExp`, then rewritten. What cannot run in linear time (look-around, back
 * references) is refused. JSON Schema 2020-12 core 6.4.
 *
 * @module
 */
import { RE2JS } from "re2js";
import { BoundedMap } from "../lib/bounded_map.ts";
import { excerpt } from "../lib/code_points.ts";
import type { Budget } from "./budget.ts";
import { MATCHER_UNITS_MAX, PATTERN_CHARS_MAX, PATTERN_INSTRUCTIONS_MAX } from "./limits.ts";
import { SchemaRefused } from "./schema_refused.ts";

/** The part of `RegExp` that a validator calls. */
export interface LinearPattern {
  test(text: string): boolean;
  /** Validators share one matcher for equal patterns by this key. */
  toString(): string;
}

/** Work units (a character times an instruction of the program) that count as one step. */
const UNITS_PER_STEP = 64;

/** Compiles the patterns of one schema, which share a bound. */
export class PatternCompiler {
  /** Of all programs so far. */
  instructions = 0;

  readonly #budget: Budget;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** @throws {SchemaRefused} where the pattern is no ECMA-262 one, is not linear, or is too large. */
  compile(pattern: string): LinearPattern {
    if (pattern.length > PATTERN_CHARS_MAX) {
      throw new SchemaRefused(`a pattern is longer than ${PATTERN_CHARS_MAX} characters`);
    }
    const matcher = new Matcher(pattern);
    this.instructions += matcher.size;
    if (this.instructions > PATTERN_INSTRUCTIONS_MAX) {
      throw new SchemaRefused("the patterns repeat too much together; use smaller {n,m}");
    }
    return {
      test: (text) => {
        this.#budget.spend(1 + Math.trunc((text.length * matcher.size) / UNITS_PER_STEP));
        return matcher.test(text);
      },
      toString: () => pattern,
    };
  }
}

/**
 * A compiled pattern that can be forgotten and compiled again: while matching, RE2 builds up an
 * automaton of up to 8 MiB, and a schema may have thousands of patterns.
 */
class Matcher {
  readonly size: number;
  readonly #translated: string;
  #compiled: RE2JS | undefined;

  readonly #pattern: string;

  constructor(pattern: string) {
    this.#pattern = pattern;
    this.#translated = translate(pattern);
    this.size = compileTranslated(pattern, this.#translated).programSize();
  }

  test(text: string): boolean {
    noteUse(this, text.length * (this.size + STATE_UNITS));
    this.#compiled ??= compileTranslated(this.#pattern, this.#translated);
    return this.#compiled.test(text);
  }

  forget(): void {
    this.#compiled = undefined;
  }
}

/** The fixed cost of a state of an automaton, in the same unit as an instruction in it (8 bytes). */
const STATE_UNITS = 30;
const inUse = new Set<Matcher>();
let unitsInUse = 0;

/** At most one character in ten adds a state: the bound stands for some 100 MiB in a worker. */
function noteUse(matcher: Matcher, units: number): void {
  unitsInUse += units;
  if (unitsInUse > MATCHER_UNITS_MAX) {
    for (const used of inUse) used.forget();
    inUse.clear();
    unitsInUse = units;
  }
  inUse.add(matcher);
}

function compileTranslated(pattern: string, translated: string): RE2JS {
  try {
    return RE2JS.compile(translated);
  } catch (error) {
    throw refusal(pattern, `cannot run in linear time (${messageOf(error)})`);
  }
}

function refusal(pattern: string, reason: string): SchemaRefused {
  return new SchemaRefused(`pattern ${JSON.stringify(excerpt(pattern))} ${reason}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 120) : String(error);
}

// The sets below are the inside of an RE2 character class.
const SPACES =
  "\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
const NOT_SPACES =
  "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}";
const DOT = "[^\\x{a}\\x{d}\\x{2028}\\x{2029}]";
const ANY = "[\\x{0}-\\x{10ffff}]";
const NOTHING = "[^\\x{0}-\\x{10ffff}]";
const CONTROLS = new Map([
  ["t", 0x9],
  ["n", 0xa],
  ["v", 0xb],
  ["f", 0xc],
  ["r", 0xd],
  ["0", 0],
]);
/** One character, or a set of them. */
type Atom = { kind: "char"; code: number } | { kind: "set"; inside: string };

/** Rewrites a valid ECMA-262 pattern for RE2. */
export function translate(pattern: string): string {
  try {
    new RegExp(pattern, "u");
  } catch {
    throw refusal(pattern, "is not a regular expression of ECMA-262 with the u flag");
  }
  const reader = new PatternReader(pattern);
  let out = "";
  while (!reader.isAtEnd()) out += translateTerm(reader);
  return out;
}

/** After `new RegExp` accepted the text, each step may rely on its syntax. */
class PatternReader {
  #at = 0;
  constructor(readonly text: string) {}

  isAtEnd(): boolean {
    return this.#at >= this.text.length;
  }
  /** Moves past `token` where the text goes on with it. */
  skip(token: string): boolean {
    if (!this.text.startsWith(token, this.#at)) return false;
    this.#at += token.length;
    return true;
  }
  take(): number {
    const code = this.text.codePointAt(this.#at) ?? 0;
    this.#at += code > 0xffff ? 2 : 1;
    return code;
  }
  takeChar(): string {
    return String.fromCodePoint(this.take());
  }
  takeMatch(form: RegExp): RegExpExecArray | undefined {
    form.lastIndex = this.#at;
    const match = form.exec(this.text);
    if (match !== null) this.#at += match[0].length;
    return match ?? undefined;
  }
  startsWith(token: string): boolean {
    return this.text.startsWith(token, this.#at);
  }
}

function translateTerm(reader: PatternReader): string {
  if (reader.skip("(?")) return translateGroup(reader);
  // No one reads the captures, and RE2 is faster without them.
  if (reader.skip("(")) return "(?:";
  if (reader.skip("[")) return translateClass(reader);
  if (reader.skip(".")) return DOT;
  if (reader.skip("\\b")) return "\\b";
  if (reader.skip("\\B")) return "\\B";
  if (reader.skip("\\")) {
    const atom = readEscape(reader);
    return atom.kind === "char" ? literal(atom.code) : `[${atom.inside}]`;
  }
  const quantifier = reader.takeMatch(/[*+?|^$)]|\{[0-9,]+\}/y);
  return quantifier === undefined ? literal(reader.take()) : quantifier[0];
}

function translateGroup(reader: PatternReader): string {
  if (reader.skip(":")) return "(?:";
  const isNamed = reader.takeMatch(/<(?![=!])[^>]*>/y) !== undefined;
  if (isNamed) return "(?:";
  throw refusal(reader.text, "uses look-around or modifiers, which cannot run in linear time");
}

function translateClass(reader: PatternReader): string {
  const isNegated = reader.skip("^");
  if (reader.skip("]")) return isNegated ? ANY : NOTHING;
  let inside = "";
  while (!reader.skip("]")) inside += translateClassAtom(reader);
  return isNegated ? `[^${inside}]` : `[${inside}]`;
}

function translateClassAtom(reader: PatternReader): string {
  const low = readClassAtom(reader);
  if (low.kind === "set") return low.inside;
  if (reader.startsWith("-]") || !reader.skip("-")) return literal(low.code);
  const high = readClassAtom(reader);
  // With the u flag a set cannot end a range: `new RegExp` has refused it.
  return high.kind === "char" ? `${literal(low.code)}-${literal(high.code)}` : high.inside;
}

function readClassAtom(reader: PatternReader): Atom {
  if (reader.skip("\\b")) return { kind: "char", code: 0x8 };
  if (reader.skip("\\")) return readEscape(reader);
  return { kind: "char", code: reader.take() };
}

/** What follows a backslash. */
function readEscape(reader: PatternReader): Atom {
  const property = reader.takeMatch(/([pP])\{([^}]*)\}/y);
  if (property !== undefined) {
    return { kind: "set", inside: propertySet(property[1] === "P", property[2] ?? "") };
  }
  const hex = reader.takeMatch(/u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})/y);
  if (hex !== undefined) return { kind: "char", code: readHex(hex, reader) };
  const control = reader.takeMatch(/c([A-Za-z])/y);
  if (control !== undefined) {
    return { kind: "char", code: (control[1] ?? "").charCodeAt(0) % 32 };
  }
  const char = reader.takeChar();
  if (/[dDwW]/.test(char)) return { kind: "set", inside: `\\${char}` };
  if (char === "s") return { kind: "set", inside: SPACES };
  if (char === "S") return { kind: "set", inside: NOT_SPACES };
  if (/[1-9k]/.test(char)) {
    throw refusal(reader.text, "refers back to a group, which cannot run in linear time");
  }
  return { kind: "char", code: CONTROLS.get(char) ?? char.codePointAt(0) ?? 0 };
}

function readHex(hex: RegExpExecArray, reader: PatternReader): number {
  const code = Number.parseInt(hex[1] ?? hex[2] ?? hex[3] ?? "0", 16);
  const isHighSurrogate = hex[2] !== undefined && code >= 0xd800 && code <= 0xdbff;
  if (!isHighSurrogate) return code;
  // With the u flag, two escaped surrogates are one character.
  const low = reader.takeMatch(/\\u([dD][c-fC-F][0-9a-fA-F]{2})/y);
  if (low === undefined) return code;
  return 0x10000 + ((code - 0xd800) << 10) + (Number.parseInt(low[1] ?? "0", 16) - 0xdc00);
}

function literal(code: number): string {
  return `\\x{${code.toString(16)}}`;
}

/** The general categories that RE2 knows by the same name. */
const CATEGORY = /^(?:L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|Cc|Cf|Co)$/;
/** Sets of the other properties; there are some 400 names, and a schema rarely needs one. */
const PROPERTY_SETS_MAX = 64;
const propertySets = new BoundedMap<string, string>(PROPERTY_SETS_MAX);

function propertySet(isNegated: boolean, name: string): string {
  const letter = isNegated ? "P" : "p";
  if (CATEGORY.test(name)) return `\\${letter}{${name}}`;
  const known = propertySets.get(letter + name);
  if (known !== undefined) return known;
  const inside = readPropertySet(new RegExp(`\\${letter}{${name}}+`, "gu"));
  propertySets.set(letter + name, inside);
  return inside;
}

/** Asks the platform for every code point: 10 ms, and exact for scripts and binary properties. */
function readPropertySet(form: RegExp): string {
  const chunk = 0x1000;
  let inside = "";
  for (let start = 0; start < 0x110000; start += chunk) {
    // JSON text holds no lone surrogate, and two of them side by side would read as one character.
    const length = start === 0xd000 ? 0x800 : chunk;
    const codes = Array.from({ length }, (_, index) => start + index);
    const unitsPerCode = start > 0xffff ? 2 : 1;
    for (const match of String.fromCodePoint(...codes).matchAll(form)) {
      const low = start + match.index / unitsPerCode;
      inside += `${literal(low)}-${literal(low + match[0].length / unitsPerCode - 1)}`;
    }
  }
  return inside === "" ? "\\x{d800}" : inside;
}
