/**
 * Matches ECMA-262 patterns (with the `u` flag) in time linear in the text. JSON Schema 2020-12 core 6.4.
 *
 * A backtracking engine takes exponential time for `^(a+)+$`. RE2 does not backtrack. The two dialects differ in white
 * space, the dot, property names, and escapes, so the platform's own `RegExp` first checks a pattern, and the pattern
 * is then rewritten for RE2. Patterns that can't run in linear time (look-around, back references) are refused.
 *
 * @module
 */
import { RE2JS } from "re2js";
import { BoundedMap } from "../../lib/bounded_map.ts";
import { excerpt } from "../../lib/code_points.ts";
import type { CheckRun } from "./check_run.ts";
import { SchemaRefused } from "./schema_refused.ts";

/** Characters of one pattern. The longest in public schema stores are about 2,000. */
const PATTERN_CHARS_MAX = 4_096;
/** Instructions of all patterns of a schema. `[a-z]{1,1000}` has 2,000, at about 100 bytes each. */
const INSTRUCTIONS_MAX = 100_000;
/** Work units (a character times an instruction) that count as one step. */
const UNITS_PER_STEP = 64;
/** The fixed cost of an automaton's state, in instructions of 8 bytes. */
const STATE_UNITS = 30;
/**
 * Work units after which all automata of a worker are dropped. RE2 builds them while it matches, up to 8 MiB each, and
 * at most one character in ten adds a state. The limit corresponds to about 100 MiB.
 */
const AUTOMATA_UNITS_MAX = 100_000_000;

/** Compiles the patterns of one schema, which share a limit. */
export class PatternCompiler {
  /** Total of all patterns so far. */
  instructions = 0;

  /** @throws {SchemaRefused} if the pattern is not valid ECMA-262, is not linear, or is too large. */
  compile(pattern: string, pointer: string): LinearPattern {
    try {
      const linear = new LinearPattern(pattern);
      this.instructions += linear.size;
      if (this.instructions <= INSTRUCTIONS_MAX) return linear;
    } catch (error) {
      const { message } = error instanceof Error ? error : new Error(String(error));
      const text = JSON.stringify(excerpt(pattern));
      throw new SchemaRefused(`the pattern ${text} ${excerpt(message)}`, pointer);
    }
    throw new SchemaRefused(
      "the patterns together contain too many repetitions; use smaller {n,m}",
      pointer,
    );
  }
}

/** Patterns with automata. They can be compiled again. */
const compiled = new Map<LinearPattern, RE2JS>();
let automataUnits = 0;

class LinearPattern {
  /** In instructions. */
  readonly size: number;
  readonly #translated: string;

  /** @throws {Error} whose message completes a sentence about the pattern */
  constructor(pattern: string) {
    this.#translated = translate(pattern);
    this.size = RE2JS.compile(this.#translated).programSize();
  }

  /** @throws {StepsSpent} */
  test(text: string, run: CheckRun): boolean {
    run.spend(1 + Math.trunc((text.length * this.size) / UNITS_PER_STEP));
    automataUnits += text.length * (this.size + STATE_UNITS);
    if (automataUnits > AUTOMATA_UNITS_MAX) {
      compiled.clear();
      automataUnits = 0;
    }
    let automaton = compiled.get(this);
    if (automaton === undefined) {
      automaton = RE2JS.compile(this.#translated);
      compiled.set(this, automaton);
    }
    return automaton.test(text);
  }
}

// The following sets are the contents of an RE2 character class.
const SPACES =
  "\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
const NOT_SPACES =
  "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}";
const DOT = "[^\\x{a}\\x{d}\\x{2028}\\x{2029}]";
const ANY = "[\\x{0}-\\x{10ffff}]";
const NOTHING = "[^\\x{0}-\\x{10ffff}]";
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 };

/** An escape of ECMA-262. With the u flag, two escaped surrogates are one character. */
const ESCAPE = String.raw`\\u[dD][89abAB]\w{2}\\u[dD][c-fC-F]\w{2}|\\u\w{4}|\\[upP]\{[^}]*\}|\\x\w{2}|\\c\w|\\[^]`;
const CLASS = String.raw`\[\^?(?:\\[^]|[^\]\\])*\]`;
/** A token outside a character class, and one inside. `new RegExp` has already validated the syntax. */
const TERM = new RegExp(
  String.raw`${ESCAPE}|${CLASS}|\(\?<(?![=!])[^>]*>|\(\?:?|\{\d+(?:,\d*)?\}|[^]`,
  "gu",
);
const CLASS_ATOM = new RegExp(`${ESCAPE}|[^]`, "gu");

/** Rewrites an ECMA-262 pattern for RE2. @throws {Error} whose message completes a sentence about the pattern */
function translate(pattern: string): string {
  if (pattern.length > PATTERN_CHARS_MAX) {
    throw new Error(`is longer than ${PATTERN_CHARS_MAX} characters`);
  }
  try {
    new RegExp(pattern, "u");
  } catch {
    throw new Error("is not a regular expression of ECMA-262 with the u flag");
  }
  return pattern.replace(TERM, translateTerm);
}

function translateTerm(term: string): string {
  if (term === ".") return DOT;
  if (/^(?:[*+?|^$)]|\\[bB]|\{.*)$/.test(term)) return term;
  if (term.startsWith("[")) return translateClass(term);
  if (term === "(?")
    throw new Error("uses look-around or modifiers, which can't run in linear time");
  // Captures are not used, and RE2 is faster without them.
  if (term.startsWith("(")) return "(?:";
  const set = setOf(term);
  return set === undefined ? literal(codeOf(term)) : `[${set}]`;
}

function translateClass(text: string): string {
  const start = text.startsWith("[^") ? "[^" : "[";
  const atoms = text.slice(start.length, -1);
  if (atoms === "") return start === "[^" ? ANY : NOTHING;
  const translated = atoms.replace(CLASS_ATOM, (atom) => {
    if (atom === "-") return atom;
    return atom === "\\b" ? literal(8) : (setOf(atom) ?? literal(codeOf(atom)));
  });
  return `${start}${translated}]`;
}

/** The set of characters that an escape stands for, or undefined if it stands for none. */
function setOf(atom: string): string | undefined {
  if (/^\\[dDwW]$/.test(atom)) return atom;
  if (atom === "\\s") return SPACES;
  if (atom === "\\S") return NOT_SPACES;
  return /^\\[pP]\{/.test(atom) ? propertySet(atom) : undefined;
}

/** The code point of the character that an atom stands for. */
function codeOf(atom: string): number {
  if (!atom.startsWith("\\")) return atom.codePointAt(0) ?? 0;
  const name = atom.charAt(1);
  if (atom.startsWith("\\u{")) return Number.parseInt(atom.slice(3), 16);
  if (name === "u") return String(JSON.parse(`"${atom}"`)).codePointAt(0) ?? 0;
  if (name === "x") return Number.parseInt(atom.slice(2), 16);
  if (name === "c") return atom.charCodeAt(2) % 32;
  if (/[1-9k]/.test(name)) {
    throw new Error("refers back to a group, which can't run in linear time");
  }
  return CONTROLS[name] ?? atom.codePointAt(1) ?? 0;
}

function literal(code: number): string {
  return `\\x{${code.toString(16)}}`;
}

/** The general categories that RE2 knows by the same name. */
const CATEGORY = /^\\[pP]\{(?:L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|Cc|Cf|Co)\}$/;
/** Cached sets of the other properties. There are about 400 names, and a schema rarely needs one. */
const PROPERTY_SETS_MAX = 64;
const propertySets = new BoundedMap<string, string>(PROPERTY_SETS_MAX);

function propertySet(atom: string): string {
  if (CATEGORY.test(atom)) return atom;
  const known = propertySets.get(atom);
  if (known !== undefined) return known;
  const inside = readPropertySet(new RegExp(`${atom}+`, "gu"));
  propertySets.set(atom, inside);
  return inside;
}

/** Tests every code point with the platform's engine: 10 ms, and exact for scripts and binary properties. */
function readPropertySet(form: RegExp): string {
  const chunk = 0x1000;
  let inside = "";
  for (let start = 0; start < 0x110000; start += chunk) {
    // JSON text contains no lone surrogate, and two adjacent surrogates would read as one character.
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
