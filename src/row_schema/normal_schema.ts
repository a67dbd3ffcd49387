/**
 * A provider's schema in the form that is compiled: known keywords only, references only to `$defs`.
 *
 * Both drafts end in one vocabulary (2020-12's), so one compiler serves both. What is left out cannot
 * matter: annotations, `format`, and what ajv would read though the drafts do not know it (`$async`
 * would turn every answer into "valid", `nullable` would let null pass, and an `$id` would be written
 * into generated code as a comment, which a provider could end). Property names that JavaScript treats
 * in a special way are rewritten to patterns, since ajv skips `__proto__`.
 *
 * A `$dynamicRef` is decided here: each subschema is written once for each set of dynamic anchors under
 * which it can be reached, so every reference that is left is a plain one.
 *
 * @module
 */
import { SUBSCHEMAS_MAX } from "./limits.ts";
import {
  isObject,
  type JsonObject,
  type Reference,
  type Resource,
  type SchemaDocument,
} from "./schema_document.ts";
import { SchemaRefused } from "./schema_refused.ts";

export type NormalSchema = { [keyword: string]: unknown };

/** Keywords without subschemas, the same in both drafts. */
const ASSERTIONS = [
  "const",
  "enum",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "maxItems",
  "maxLength",
  "maxProperties",
  "maximum",
  "minItems",
  "minLength",
  "minProperties",
  "minimum",
  "multipleOf",
  "pattern",
  "required",
  "type",
  "uniqueItems",
] as const;
const ASSERTIONS_2020 = ["maxContains", "minContains"] as const;
/** Applied to the same value as the schema they stand in, so a cycle of them would never end. */
const CONDITION = ["else", "if", "then"] as const;
const IN_PLACE_LIST = ["allOf", "anyOf", "oneOf"] as const;
/** A schema with a `then` is no promise, which is what the linter takes an object literal for. */
const THEN = "then";
/** Applied to parts of the value. */
const PART_ONE = ["additionalProperties", "contains", "propertyNames"] as const;
const PART_ONE_2020 = ["unevaluatedItems", "unevaluatedProperties"] as const;
/** Each conditional `contains` below an `unevaluatedItems` doubles what is written for it. */
const CONDITIONAL_CONTAINS_MAX = 6;

/** Dynamic anchors by name, each bound by the outermost resource that has it. Core 8.2.3.2. */
interface Scope {
  readonly index: number;
  readonly bindings: ReadonlyMap<string, JsonObject>;
}

/** @throws {SchemaRefused} */
export function normalizeSchema(document: SchemaDocument): NormalSchema {
  const writer = new NormalWriter(document);
  const root = writer.writeAll();
  refuseEndlessLoop(writer.inPlaceReferences);
  return root;
}

class NormalWriter {
  /** For each name in `$defs`, those it refers to for the same value. */
  readonly inPlaceReferences = new Map<string, Set<string>>();
  readonly #definitions: NormalSchema = {};
  readonly #names = new Map<JsonObject, Map<number, string>>();
  readonly #waiting: { name: string; node: JsonObject; scope: Scope }[] = [];
  readonly #scopes = new Map<string, Scope>();
  #named = 0;
  #written = 0;

  readonly #document: SchemaDocument;

  constructor(document: SchemaDocument) {
    this.#document = document;
  }

  writeAll(): NormalSchema {
    const empty: Scope = { index: 0, bindings: new Map() };
    const root = this.#refer(this.#document.root, empty, undefined);
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      const inPlace = new Set<string>();
      this.inPlaceReferences.set(next.name, inPlace);
      this.#definitions[next.name] = this.#write(next.node, next.scope, inPlace);
    }
    return { ...root, $defs: this.#definitions };
  }

  /** A reference to the node as written for this scope. */
  #refer(node: JsonObject, outer: Scope, inPlace: Set<string> | undefined): NormalSchema {
    const scope = this.#enter(outer, this.#document.resourceOf(node));
    const byScope = this.#names.get(node) ?? new Map<number, string>();
    this.#names.set(node, byScope);
    let name = byScope.get(scope.index);
    if (name === undefined) {
      name = this.#takeName();
      byScope.set(scope.index, name);
      this.#waiting.push({ name, node, scope });
    }
    inPlace?.add(name);
    return { $ref: `#/$defs/${name}` };
  }

  #enter(outer: Scope, resource: Resource): Scope {
    if (!this.#document.isDynamic || resource.dynamicAnchors.size === 0) return outer;
    const key = `${outer.index} ${resource.index}`;
    const known = this.#scopes.get(key);
    if (known !== undefined) return known;
    const added = [...resource.dynamicAnchors].filter(([name]) => !outer.bindings.has(name));
    const scope =
      added.length === 0
        ? outer
        : { index: this.#scopes.size + 1, bindings: new Map([...outer.bindings, ...added]) };
    this.#scopes.set(key, scope);
    return scope;
  }

  /** `inPlace` collects references for the same value; undefined below a part of it. */
  #apply(value: unknown, scope: Scope, inPlace: Set<string> | undefined): unknown {
    if (!isObject(value)) return value;
    if (this.#document.targets.has(value)) return this.#refer(value, scope, inPlace);
    const inner = this.#enter(scope, this.#document.resourceOf(value));
    return this.#write(value, inner, inPlace ?? new Set());
  }

  #write(node: JsonObject, scope: Scope, inPlace: Set<string>): NormalSchema {
    this.#written += 1;
    if (this.#written > SUBSCHEMAS_MAX) {
      throw new SchemaRefused(`a schema has at most ${SUBSCHEMAS_MAX} subschemas, as referred to`);
    }
    const references = this.#document.referencesOf(node);
    const is2020 = this.#document.dialect === "2020-12";
    const all: unknown[] = [references.ref, references.dynamicRef]
      .filter((reference) => reference !== undefined)
      .map((reference) => this.#follow(reference, scope, inPlace));
    // Draft-07 core 8.3: beside a $ref everything else is ignored.
    if (!is2020 && references.ref !== undefined) return { allOf: all };

    const part = (value: unknown) => this.#apply(value, scope, undefined);
    const same = (value: unknown) => this.#apply(value, scope, inPlace);
    const out: NormalSchema = {};
    copy(node, out, { keywords: is2020 ? [...ASSERTIONS, ...ASSERTIONS_2020] : ASSERTIONS });
    copy(node, out, { keywords: ["not"], each: same });
    copy(node, out, { keywords: IN_PLACE_LIST, each: listOf(same) });
    copy(node, out, { keywords: is2020 ? [...PART_ONE, ...PART_ONE_2020] : PART_ONE, each: part });
    if (is2020 && this.#document.hasUnevaluated)
      all.push(...this.#writeCondition(node, scope, inPlace));
    else copy(node, out, { keywords: CONDITION, each: same });
    writeItems(node, out, { part, is2020 });
    writeProperties(node, out, part);
    all.push(...writeDependencies(node, { same, is2020 }));
    if (all.length > 0) out.allOf = [...listOfUnknown(out.allOf), ...all];
    return is2020 && out.unevaluatedItems !== undefined
      ? this.#withContained(out, { contained: this.#findContained(node, scope), inPlace })
      : out;
  }

  /**
   * What a failed `if` has evaluated must not count, but ajv counts it; in this form it does not. Only
   * for documents where it matters, since the errors are less to the point.
   */
  #writeCondition(node: JsonObject, scope: Scope, inPlace: Set<string>): unknown[] {
    if (node.if === undefined) return [];
    const condition = this.#name(node.if, scope, inPlace);
    return [
      choose(condition, {
        whenTrue: this.#apply(node.then ?? true, scope, inPlace),
        whenFalse: this.#apply(node.else ?? true, scope, inPlace),
      }),
    ];
  }

  /** The schema for use in several places: written once. */
  #name(value: unknown, scope: Scope, inPlace: Set<string> | undefined): unknown {
    return isObject(value) ? this.#refer(value, scope, inPlace) : value;
  }

  /**
   * Items that a `contains` matches are evaluated, which ajv does not track item by item. So they are
   * named in `unevaluatedItems` itself: an item passes where it matches the schema there, or that of a
   * `contains` whose conditions hold.
   */
  #withContained(
    out: NormalSchema,
    found: { contained: readonly Contained[]; inPlace: Set<string> },
  ): NormalSchema {
    const { contained, inPlace } = found;
    if (contained.length === 0) return out;
    const conditional = contained.filter(({ conditions }) => conditions.length > 0);
    if (conditional.length > CONDITIONAL_CONTAINS_MAX) {
      throw new SchemaRefused("unevaluatedItems stands over too many conditional contains");
    }
    const { unevaluatedItems, ...rest } = out;
    const name = this.#takeName();
    this.#definitions[name] = rest;
    this.inPlaceReferences.set(name, new Set(inPlace));
    inPlace.add(name);
    const always = contained.filter(({ conditions }) => conditions.length === 0);
    return writeUnevaluatedItems({
      base: { $ref: `#/$defs/${name}` },
      conditional,
      accepted: [unevaluatedItems, ...always.map(({ schema }) => schema)],
    });
  }

  /** Every `contains` that applies to the same array, and what must hold for it to apply. */
  #findContained(node: JsonObject, scope: Scope): Contained[] {
    const found: Contained[] = [];
    const open = new Set<JsonObject>();
    const visit = (value: unknown, outer: Scope, conditions: readonly unknown[]): void => {
      // What leads back to itself is refused later, as an endless loop.
      if (!isObject(value) || open.has(value)) return;
      if (found.length > SUBSCHEMAS_MAX) throw new SchemaRefused("too many contains apply at once");
      open.add(value);
      const inner = this.#enter(outer, this.#document.resourceOf(value));
      if (value.contains !== undefined) {
        found.push({ conditions, schema: this.#name(value.contains, inner, undefined) });
      }
      for (const { schema, condition } of this.#findInPlace(value, inner)) {
        const all = condition === undefined ? conditions : [...conditions, condition];
        visit(schema, inner, all);
      }
      open.delete(value);
    };
    visit(node, scope, []);
    return found;
  }

  #findInPlace(
    node: JsonObject,
    scope: Scope,
  ): { schema: unknown; condition: unknown | undefined }[] {
    const { ref, dynamicRef } = this.#document.referencesOf(node);
    const references = [ref, dynamicRef].filter((reference) => reference !== undefined);
    const always = [
      ...references.map((reference) => boundTarget(reference, scope)),
      ...listOfUnknown(node.allOf),
    ].map((schema) => ({ schema, condition: undefined }));
    const branches = [...listOfUnknown(node.anyOf), ...listOfUnknown(node.oneOf)].map((schema) => ({
      schema,
      condition: this.#name(schema, scope, undefined),
    }));
    if (node.if === undefined) return [...always, ...branches];
    const condition = this.#name(node.if, scope, undefined);
    return [
      ...always,
      ...branches,
      { schema: node.if, condition },
      { schema: node.then, condition },
      { schema: node.else, condition: { not: condition } },
    ];
  }

  #follow(reference: Reference, scope: Scope, inPlace: Set<string>): unknown {
    return this.#name(boundTarget(reference, scope), scope, inPlace);
  }

  #takeName(): string {
    this.#named += 1;
    return String(this.#named);
  }
}

type Apply = (value: unknown) => unknown;

interface Contained {
  /** All of them must hold for the array. */
  readonly conditions: readonly unknown[];
  readonly schema: unknown;
}

function boundTarget(reference: Reference, scope: Scope): JsonObject | boolean {
  const { target, dynamicName } = reference;
  return (dynamicName === undefined ? undefined : scope.bindings.get(dynamicName)) ?? target;
}

function choose(condition: unknown, options: { whenTrue: unknown; whenFalse: unknown }): unknown {
  return {
    anyOf: [
      { allOf: [condition, options.whenTrue] },
      { allOf: [{ not: condition }, options.whenFalse] },
    ],
  };
}

function writeUnevaluatedItems(options: {
  base: NormalSchema;
  conditional: readonly Contained[];
  accepted: readonly unknown[];
}): NormalSchema {
  const { base, conditional, accepted } = options;
  const [next, ...rest] = conditional;
  if (next === undefined) {
    const useful = accepted.filter((schema) => schema !== false);
    return { ...base, unevaluatedItems: useful.length === 0 ? false : { anyOf: useful } };
  }
  const whenTrue = writeUnevaluatedItems({
    base,
    conditional: rest,
    accepted: [...accepted, next.schema],
  });
  const whenFalse = writeUnevaluatedItems({ base, conditional: rest, accepted });
  return { allOf: [choose({ allOf: next.conditions }, { whenTrue, whenFalse })] };
}

function listOf(each: Apply): Apply {
  return (value) => (Array.isArray(value) ? value.map(each) : value);
}

function listOfUnknown(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function copy(
  node: JsonObject,
  out: NormalSchema,
  options: { keywords: readonly string[]; each?: Apply },
): void {
  for (const keyword of options.keywords) {
    const value = node[keyword];
    if (value !== undefined) out[keyword] = options.each?.(value) ?? value;
  }
}

/** Draft-07's list form of `items` is 2020-12's `prefixItems`, and `additionalItems` its `items`. */
function writeItems(
  node: JsonObject,
  out: NormalSchema,
  options: { part: Apply; is2020: boolean },
): void {
  const { part, is2020 } = options;
  const prefix = is2020 ? node.prefixItems : node.items;
  const hasPrefix = Array.isArray(prefix);
  if (hasPrefix && prefix.length > 0) out.prefixItems = prefix.map(part);
  const rest = is2020 || !hasPrefix ? node.items : node.additionalItems;
  if (rest !== undefined) out.items = part(rest);
}

function writeProperties(node: JsonObject, out: NormalSchema, part: Apply): void {
  const named = entriesOf(node.properties).map(([name, schema]) => [name, part(schema)] as const);
  const patterns = new Map(
    entriesOf(node.patternProperties).map(([pattern, schema]) => [pattern, part(schema)] as const),
  );
  const special = named.find(([name]) => name === "__proto__");
  if (special !== undefined) {
    let pattern = "^__proto__$";
    while (patterns.has(pattern)) pattern = `(?:${pattern})`;
    patterns.set(pattern, special[1]);
  }
  const usual = named.filter(([name]) => name !== "__proto__");
  if (usual.length > 0) out.properties = Object.fromEntries(usual);
  if (patterns.size > 0) out.patternProperties = Object.fromEntries(patterns);
}

/**
 * `dependencies` is draft-07's name for both forms; 2020-12 keeps it for old schemas. The conditions
 * that ajv would skip (`__proto__`) come back as schemas for `allOf`.
 */
function writeDependencies(node: JsonObject, options: { same: Apply; is2020: boolean }): unknown[] {
  const { same, is2020 } = options;
  const entries = entriesOf(node.dependencies);
  if (is2020)
    entries.push(...entriesOf(node.dependentRequired), ...entriesOf(node.dependentSchemas));
  return entries.map(([name, needs]) => ({
    if: { type: "object", required: [name] },
    [THEN]: Array.isArray(needs) ? { required: needs } : same(needs),
  }));
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

/** Finds a chain of references that comes back for the same value: it would never end. */
function refuseEndlessLoop(references: ReadonlyMap<string, ReadonlySet<string>>): void {
  const state = new Map<string, "open" | "done">();
  for (const start of references.keys()) {
    const path = [{ name: start, rest: [...(references.get(start) ?? [])] }];
    if (state.has(start)) continue;
    state.set(start, "open");
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const next = top.rest.pop();
      if (next === undefined) {
        state.set(top.name, "done");
        path.pop();
      } else if (state.get(next) === "open") {
        throw new SchemaRefused("references lead back to themselves without going into the value");
      } else if (!state.has(next)) {
        state.set(next, "open");
        path.push({ name: next, rest: [...(references.get(next) ?? [])] });
      }
    }
  }
}
