/**
 * Compares two schemas of a feed for its readers: can rows of the new one surprise an agent that was built on the old
 * one?
 *
 * The new schema is compatible if every row that it accepts is also accepted by the old one. Properties that the old
 * schema doesn't name are ignored, so its `additionalProperties: false` does not count. Keywords are compared one by
 * one, in all properties and items that both schemas have. Values that can be enumerated (`enum`, `const`, booleans)
 * are checked by the old schema itself. Composition, references, and name patterns are not analyzed: if they differ,
 * the verdict is `unknown`. See `src/spec/beyond.md`, section 7.
 *
 * @module
 */
import type { Compatibility, SchemaChange, SchemaComparison } from "../../feeds/schema_changes.ts";
import { excerpt } from "../../lib/code_points.ts";
import { boundedPointer, pointerTo } from "../../lib/json_text.ts";
import type { JsonObject } from "../../lib/records.ts";
import { SCHEMA_CHANGES_LISTED_MAX } from "../../limits.ts";
import { CheckRun } from "./check_run.ts";
import { compileSchema } from "./compile_schema.ts";
import {
  compareNumbers,
  isInteger,
  isMultipleOf,
  isNumeric,
  isObject,
  type Numeric,
  negated,
  wholeFrom,
} from "./exact_numbers.ts";
import { canonicalText } from "./json_equality.ts";
import { dialectOf } from "./read_schema.ts";
import { type Dialect, findKeyword, isSchema, type Schema } from "./schema_keywords.ts";
import { SchemaRefused } from "./schema_refused.ts";

type Verdict = Exclude<Compatibility, "same">;

/** Worst first. The worst verdict is that of the whole comparison, and a bounded list begins with the worst changes. */
const VERDICTS: readonly Verdict[] = ["breaking", "unknown", "compatible"];
/** Keywords that check nothing in a row. */
const ANNOTATIONS = words(
  "$comment $schema contentEncoding contentMediaType contentSchema default deprecated description examples format readOnly title writeOnly",
);
/** Keywords that are not analyzed. */
const OPAQUE = words(
  "$ref $dynamicRef allOf anyOf oneOf not if then else dependencies dependentRequired dependentSchemas patternProperties propertyNames contains minContains maxContains prefixItems additionalItems unevaluatedItems unevaluatedProperties",
);
/** Keywords whose values are unordered. */
const UNORDERED = words("enum required type");
/** Texts of values that have no effect. */
const EMPTY: ReadonlySet<string> = new Set(["{}", "[]"]);
const TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"];
const DEFINITION = /^#\/(?:\$defs|definitions)\//;
/** Steps for checking the values of all enums of a schema. */
const STEPS_MAX = 2_000_000;
/** Values that a sentence lists. */
const SHOWN_MAX = 5;

/** Keywords that bound a count: for which type, and on which side. */
const COUNTS = [
  ["minLength", "string", "lower"],
  ["maxLength", "string", "upper"],
  ["minItems", "array", "lower"],
  ["maxItems", "array", "upper"],
  ["minProperties", "object", "lower"],
  ["maxProperties", "object", "upper"],
] as const;

/** Compares two parsed, valid schemas. Null means no schema, which accepts every row. @throws {StepsSpent} */
export function compareSchemas(before: unknown, after: unknown): SchemaComparison {
  const [old, fresh] = [readMeaning(before), readMeaning(after)];
  if (old.dialect === fresh.dialect && canonicalText(old.schema) === canonicalText(fresh.schema)) {
    return { compatibility: "same", changes: [] };
  }
  const areReferencesEqual =
    old.hasPlainReferences &&
    fresh.hasPlainReferences &&
    definitionsText(old.schema) === definitionsText(fresh.schema);
  const comparison = new Comparison(fresh.dialect, areReferencesEqual);
  if (old.dialect !== fresh.dialect) {
    comparison.note(
      "unknown",
      "/$schema",
      "draft changed",
      "the same keywords may have different meanings",
    );
  }
  comparison.compare(old.schema, fresh.schema, "");
  return comparison.outcome();
}

/** A comparison in progress. */
class Comparison {
  readonly #dialect: Dialect;
  readonly #areReferencesEqual: boolean;
  readonly #noted: (SchemaChange & { readonly verdict: Verdict })[] = [];
  readonly #run = new CheckRun({ stepsMax: STEPS_MAX, isExplaining: false });
  /** Enclosing schemas that may constrain the current value in a way that is not analyzed. */
  #opaqueAround = 0;

  constructor(dialect: Dialect, areReferencesEqual: boolean) {
    this.#dialect = dialect;
    this.#areReferencesEqual = areReferencesEqual;
  }

  outcome(): SchemaComparison {
    const placeOf = ({ verdict }: { verdict: Verdict }) => VERDICTS.indexOf(verdict);
    const sorted = this.#noted.toSorted((a, b) => placeOf(a) - placeOf(b));
    const changes = sorted
      .slice(0, SCHEMA_CHANGES_LISTED_MAX)
      .map(({ path, change, why }) => ({ path, change, why }));
    return { compatibility: sorted[0]?.verdict ?? "same", changes };
  }

  note(verdict: Verdict, path: string, change: string, why: string): void {
    const isHidden = verdict === "breaking" && this.#opaqueAround > 0;
    this.#noted.push({
      verdict: isHidden ? "unknown" : verdict,
      path: boundedPointer(path),
      change,
      why: isHidden ? `${why}, unless an enclosing composition or reference forbids that` : why,
    });
  }

  /** Notes how the values that `after` accepts differ from those of `before`. */
  compare(before: Schema, after: Schema, path: string): void {
    if (after === false) {
      if (before !== false)
        this.note("compatible", path, "nothing allowed", "no value is accepted here anymore");
      return;
    }
    if (before === false) {
      this.note("breaking", path, "type widened", "a value may now occur where none was allowed");
      return;
    }
    const [old, fresh] = [this.#checked(before), this.#checked(after)];
    const isOpaque = this.#noteOpaque(old, fresh, path);
    if (isOpaque) this.#opaqueAround += 1;
    this.#compareChecked(old, fresh, path);
    if (isOpaque) this.#opaqueAround -= 1;
  }

  #compareChecked(old: JsonObject, fresh: JsonObject, path: string): void {
    const values = countedValues(fresh, old.enum !== undefined);
    if (values !== undefined) {
      this.#compareValues(old, fresh, { values, path: `${path}/enum` });
      return;
    }
    if (old.enum !== undefined) {
      const why = `values other than ${shown(listOf(old.enum))} may now occur`;
      this.note("breaking", `${path}/enum`, "enum widened", why);
      return;
    }
    const types = this.#compareTypes(old, fresh, path);
    for (const [name, type, side] of COUNTS) {
      if (!types.has(type)) continue;
      const [from, to] = [countOf(old[name], side), countOf(fresh[name], side)];
      this.#noteBound(`${path}/${name}`, side === "lower" ? to - from : from - to, name);
    }
    if (types.has("number")) this.#compareNumbers(old, fresh, path);
    if (types.has("string")) this.#comparePattern(old.pattern, fresh.pattern, `${path}/pattern`);
    if (types.has("array")) this.#compareArrays(old, fresh, path);
    if (types.has("object")) this.#compareObjects(old, fresh, path);
  }

  /** The effective keywords of a subschema. In draft-07 (core 8.3), keywords beside a `$ref` have no effect. */
  #checked(schema: Schema): JsonObject {
    if (!isObject(schema)) return {};
    const isReference = this.#dialect === "draft-07" && typeof schema.$ref === "string";
    return isReference ? { $ref: schema.$ref } : schema;
  }

  /** Whether the new schema is constrained by something that differs and is not analyzed. */
  #noteOpaque(old: JsonObject, fresh: JsonObject, path: string): boolean {
    const names = [...OPAQUE, ...(isTuple(old) || isTuple(fresh) ? ["items"] : [])];
    let isOpaque = false;
    for (const name of names) {
      const [from, to] = [old[name], fresh[name]];
      if (from === undefined && to === undefined) continue;
      const [fromText, toText] = [textOf(from), textOf(to)];
      const isEqual = fromText === toText;
      if (isEqual && (this.#areReferencesEqual || !hasReference(name, toText))) continue;
      isOpaque ||= to !== undefined;
      const why = isEqual
        ? "what it refers to may have changed"
        : `what ${name} allows can't be compared in general`;
      this.note("unknown", path + pointerTo(name), "can't be compared", why);
    }
    return isOpaque;
  }

  /** Compares schemas whose new values are few enough to check each with the old schema. */
  #compareValues(
    old: JsonObject,
    fresh: JsonObject,
    { values, path }: { readonly values: readonly unknown[]; readonly path: string },
  ): void {
    if (canonicalText(old) === canonicalText(fresh)) return;
    try {
      const [wasTaken, isTaken] = [this.#taker(old), this.#taker(fresh)];
      const taken = values.filter(isTaken);
      const strange = taken.filter((value) => !wasTaken(value));
      if (strange.length > 0) {
        this.note("breaking", path, "enum widened", `${shown(strange)} may now occur`);
        return;
      }
      const known = new Set(taken.map(canonicalText));
      const lost = countedValues(old, true)?.filter(
        (value) => wasTaken(value) && !known.has(canonicalText(value)),
      );
      if (lost?.length !== 0) {
        const why =
          lost === undefined
            ? `only ${shown(taken)} may occur`
            : `${shown(lost)} will no longer occur`;
        this.note("compatible", path, "enum narrowed", why);
      }
    } catch (error) {
      if (!(error instanceof SchemaRefused)) throw error;
      this.note(
        "unknown",
        path,
        "can't be compared",
        "its values are also checked through references",
      );
    }
  }

  /** A test for whether a value meets the schema. @throws {SchemaRefused} if the schema refers to what is around it */
  #taker(schema: JsonObject): (value: unknown) => boolean {
    const $schema = `http://json-schema.org/${this.#dialect}/schema`;
    const compiled = compileSchema({ ...schema, $schema });
    return (value) => compiled.isValid(value, this.#run);
  }

  /** The types of which both accept values. `number` includes integers. */
  #compareTypes(old: JsonObject, fresh: JsonObject, path: string): ReadonlySet<string> {
    const [from, to] = [typesOf(old), typesOf(fresh)];
    const strange = to.filter((type) => !isAmong(type, from));
    const lost = from.filter((type) => !isAmong(type, to));
    if (strange.length > 0) {
      const why = `values may now be of type ${strange.join(", ")}`;
      this.note("breaking", `${path}/type`, "type widened", why);
    } else if (lost.length > 0) {
      const why = `values are no longer of type ${lost.join(", ")}`;
      this.note("compatible", `${path}/type`, "type narrowed", why);
    }
    const shared = [
      ...from.filter((type) => isAmong(type, to)),
      ...to.filter((type) => isAmong(type, from)),
    ];
    return new Set(shared.map((type) => (type === "integer" ? "number" : type)));
  }

  #compareNumbers(old: JsonObject, fresh: JsonObject, path: string): void {
    const isWhole = !typesOf(fresh).includes("number");
    for (const side of ["lower", "upper"] as const) {
      const [from, to] = [numberBound(old, side, isWhole), numberBound(fresh, side, isWhole)];
      this.#noteBound(
        path + pointerTo(to.name ?? from.name ?? "minimum"),
        compareNumbers(to.value, from.value) || to.open - from.open,
        side,
      );
    }
    const [from, to] = [old.multipleOf, fresh.multipleOf ?? (isWhole ? 1 : undefined)];
    if (textOf(from) === textOf(to) || (from === undefined && fresh.multipleOf === undefined)) {
      return;
    }
    const isNarrower = !isNumeric(from) || (isNumeric(to) && isMultipleOf(to, from));
    if (isNarrower && fresh.multipleOf === undefined) return;
    this.#noteBound(`${path}/multipleOf`, isNarrower ? 1 : -1, "multipleOf");
  }

  /** @param tightening How much tighter the bound has become. Below 0 means looser, and NaN means no change. */
  #noteBound(path: string, tightening: number, name: string): void {
    if (tightening > 0) {
      this.note("compatible", path, "bound narrowed", `${name} allows less than before`);
    } else if (tightening < 0) {
      this.note("breaking", path, "bound widened", `${name} allows more than before`);
    }
  }

  #comparePattern(from: unknown, to: unknown, path: string): void {
    if (from === to) return;
    if (from === undefined) this.#noteBound(path, 1, "pattern");
    else if (to === undefined) this.#noteBound(path, -1, "pattern");
    else
      this.note("unknown", path, "can't be compared", "two patterns can't be compared in general");
  }

  #compareArrays(old: JsonObject, fresh: JsonObject, path: string): void {
    const [wasUnique, isUnique] = [old.uniqueItems === true, fresh.uniqueItems === true];
    if (wasUnique !== isUnique)
      this.#noteBound(`${path}/uniqueItems`, isUnique ? 1 : -1, "uniqueItems");
    // Lists of schemas are opaque.
    if (isTuple(old) || isTuple(fresh)) return;
    this.#compareHeld(old.items, fresh.items, `${path}/items`);
  }

  #compareObjects(old: JsonObject, fresh: JsonObject, path: string): void {
    const [from, to] = [membersOf(old.properties), membersOf(fresh.properties)];
    const [needed, needs] = [new Set(listOf(old.required)), new Set(listOf(fresh.required))];
    const others = old.additionalProperties;
    for (const [name, before] of from) {
      const at = `${path}/properties${pointerTo(name)}`;
      const after = to.get(name);
      if (after === undefined || (after === false && before !== false)) {
        this.note(
          "breaking",
          at,
          "property removed",
          "readers rely on it, and rows may now lack it",
        );
      } else {
        this.compare(before, after, at);
        if (needed.has(name) && !needs.has(name)) {
          this.note("breaking", at, "no longer required", "rows may lack it now");
        } else if (!needed.has(name) && needs.has(name)) {
          this.note("compatible", at, "made required", "every row has it now");
        }
      }
    }
    for (const [name, after] of to) {
      if (from.has(name)) continue;
      const at = `${path}/properties${pointerTo(name)}`;
      this.note("compatible", at, "property added", "readers that don't know it ignore it");
      if (isObject(others)) this.compare(others, after, at);
    }
    for (const name of [...needed].filter((each) => !from.has(String(each)) && !needs.has(each))) {
      const why = `rows may lack ${shown([name])} now`;
      this.note("breaking", `${path}/required`, "no longer required", why);
    }
    for (const name of [...needs].filter((each) => !to.has(String(each)) && !needed.has(each))) {
      if (from.has(String(name))) continue;
      this.note(
        "compatible",
        `${path}/required`,
        "made required",
        `every row has ${shown([name])} now`,
      );
    }
    this.#compareOthers(others, fresh.additionalProperties, `${path}/additionalProperties`);
  }

  /** Compares the schemas of unnamed properties. */
  #compareOthers(from: unknown, to: unknown, path: string): void {
    if (isObject(from)) this.#compareHeld(from, to, path);
    else if (textOf(from) !== textOf(to)) {
      const why = "readers ignore properties that the old schema doesn't name";
      this.note("compatible", path, "other properties changed", why);
    }
  }

  /** Compares subschemas that may be absent. An absent one accepts everything. */
  #compareHeld(from: unknown, to: unknown, path: string): void {
    if (from === undefined && to === undefined) return;
    const [before, after] = [from ?? true, to ?? true];
    if (isSchema(before) && isSchema(after)) this.compare(before, after, path);
  }
}

interface Meaning {
  readonly dialect: Dialect;
  /** Without keywords that check nothing, and with one spelling for equivalent keywords. */
  readonly schema: Schema;
  /** Whether every reference is to a definition at the root. */
  readonly hasPlainReferences: boolean;
}

function readMeaning(schema: unknown): Meaning {
  const dialect = isObject(schema) ? dialectOf(schema, "") : "2020-12";
  let hasPlainReferences = true;
  const read = (each: unknown, isRoot = false): unknown => {
    if (!isObject(each)) return each;
    const { $ref, $dynamicRef, $id } = each;
    if (typeof $ref === "string" && !DEFINITION.test($ref)) hasPlainReferences = false;
    if ($dynamicRef !== undefined || ($id !== undefined && !isRoot)) hasPlainReferences = false;
    const meant: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(each)) {
      const keyword = findKeyword(dialect, name);
      if (keyword === undefined || ANNOTATIONS.has(name)) continue;
      if (keyword.holds === "schema") {
        meant[name] = Array.isArray(value) ? value.map((one) => read(one)) : read(value);
      } else if (keyword.holds === "map") {
        const members = Object.entries(Object(value));
        // Object.fromEntries defines members, including one named __proto__.
        meant[name] = Object.fromEntries(members.map(([key, one]) => [key, read(one)]));
      } else meant[name] = value;
    }
    return spelledOnce(meant);
  };
  const meant = read(schema, true);
  return { dialect, schema: isSchema(meant) ? meant : true, hasPlainReferences };
}

function spelledOnce({ const: only, ...schema }: Record<string, unknown>): JsonObject {
  if (only !== undefined && schema.enum === undefined) schema.enum = [only];
  else if (only !== undefined)
    schema.enum = listOf(schema.enum).filter((each) => textOf(each) === textOf(only));
  for (const name of UNORDERED) {
    if (schema[name] === undefined) continue;
    const texts = new Map([schema[name]].flat().map((each) => [canonicalText(each), each]));
    schema[name] = [...texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
  }
  for (const name of ["additionalProperties", "items", "properties", "required"]) {
    if (schema[name] === true || EMPTY.has(textOf(schema[name]))) delete schema[name];
  }
  return schema;
}

/** The values that a schema accepts, if they can be listed: its `enum`, or booleans and null if these are requested. */
function countedValues(schema: JsonObject, hasFewTypes: boolean): readonly unknown[] | undefined {
  if (schema.enum !== undefined) return listOf(schema.enum);
  const types = typesOf(schema);
  if (!hasFewTypes || !types.every((type) => type === "boolean" || type === "null"))
    return undefined;
  return types.flatMap((type): unknown[] => (type === "null" ? [null] : [true, false]));
}

function typesOf({ type, multipleOf }: JsonObject): readonly string[] {
  const types =
    type === undefined ? TYPES.filter((each) => each !== "integer") : listOf(type).map(String);
  const isWhole = isInteger(multipleOf);
  return isWhole ? types.map((each) => (each === "number" ? "integer" : each)) : types;
}

function isAmong(type: string, types: readonly string[]): boolean {
  return types.includes(type) || (type === "integer" && types.includes("number"));
}

interface Bound {
  /** The keyword, or undefined if there is none. */
  readonly name: string | undefined;
  /** Larger is tighter. */
  readonly value: Numeric;
  /** 1 if the bound itself is excluded. */
  readonly open: number;
}

/** The numeric bound on one side, expressed as a lower bound. If only integers are allowed, the next integer. */
function numberBound(schema: JsonObject, side: "lower" | "upper", isWhole: boolean): Bound {
  const names =
    side === "lower" ? ["minimum", "exclusiveMinimum"] : ["maximum", "exclusiveMaximum"];
  const bounds = names.flatMap((name, place) => {
    const value = schema[name];
    if (!isNumeric(value)) return [];
    return [{ name, value: side === "lower" ? value : negated(value), open: place }];
  });
  const tightest = bounds.toSorted(
    (a, b) => compareNumbers(b.value, a.value) || b.open - a.open,
  )[0];
  if (tightest === undefined) return { name: undefined, value: -Infinity, open: 0 };
  if (!isWhole) return tightest;
  const { name, value, open } = tightest;
  return { name, value: wholeFrom(value, open === 1), open: 0 };
}

function countOf(value: unknown, side: "lower" | "upper"): number {
  return isNumeric(value) ? Number(value) : side === "lower" ? 0 : Infinity;
}

function membersOf(value: unknown): ReadonlyMap<string, Schema> {
  const members = isObject(value) ? Object.entries(value) : [];
  return new Map(members.flatMap(([key, each]) => (isSchema(each) ? [[key, each] as const] : [])));
}

/** Whether `items` is a list, as in draft-07. */
function isTuple({ items }: JsonObject): boolean {
  return Array.isArray(items);
}

function definitionsText(schema: Schema): string {
  return isObject(schema) ? canonicalText([schema.$defs ?? {}, schema.definitions ?? {}]) : "";
}

function hasReference(name: string, text: string): boolean {
  return name.endsWith("ef") || text.includes('"$ref"') || text.includes('"$dynamicRef"');
}

function textOf(value: unknown): string {
  return value === undefined ? "" : canonicalText(value);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A few values, as listed in a sentence. */
function shown(values: readonly unknown[]): string {
  const texts = values.slice(0, SHOWN_MAX).map((value) => excerpt(JSON.stringify(value)));
  const more = values.length > SHOWN_MAX ? ` and ${values.length - SHOWN_MAX} more` : "";
  return texts.join(", ") + more;
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}
