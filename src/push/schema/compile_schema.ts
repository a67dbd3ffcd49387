/**
 * Compiles a provider's JSON Schema, 2020-12 or draft-07, to a function that checks rows.
 *
 * Feedgate has its own validator because an untrusted schema must not run unbounded, and no library counts steps,
 * matches patterns in linear time, and compares items by look-up. ajv and @exodus/schemasafe check a usual row several
 * times as fast, but compare `uniqueItems` in pairs and backtrack in patterns, so a short schema can stop them for
 * minutes, and they round numbers to doubles. ajv also deviates from the suite. Here a subschema is a list of closures
 * that spend steps of a `CheckRun`, and no code is generated. The official test suites of both drafts verify it.
 *
 * `format` and `content…` are annotations, which check nothing.
 *
 * @module
 */
import { pointerTo } from "../../lib/json_text.ts";
import type { JsonObject } from "../../lib/records.ts";
import {
  addSeen,
  eachItem,
  eachName,
  eachProperty,
  meetsAll,
  meetsContains,
  meetsIf,
  meetsNot,
  meetsSome,
} from "./applicators.ts";
import { assertionsOf, required } from "./assertions.ts";
import type { CheckRun, Seen, Validate } from "./check_run.ts";
import { isObject } from "./exact_numbers.ts";
import { PatternCompiler } from "./linear_pattern.ts";
import { type Reference, SchemaDocument, type SchemaNode } from "./read_schema.ts";
import { findKeyword, isSchema, NULLABLE, nearestKeyword } from "./schema_keywords.ts";
import { SchemaRefused } from "./schema_refused.ts";

const NO_SUCH_PROPERTY = "is not allowed: the schema has no such property";

/** Unknown keywords that are examined, and misspelled ones that are listed. */
const UNKNOWN_KEYWORDS_MAX = 1_000;
const MISSPELT_LISTED_MAX = 5;

/** An unknown keyword that is probably misspelled. */
export interface MisspeltKeyword {
  readonly name: string;
  /** The keyword that was probably meant. */
  readonly meant: string;
  /** RFC 6901 pointer of the subschema that contains it. */
  readonly pointer: string;
}

/** @throws {SchemaRefused} */
export function compileSchema(schema: unknown): CompiledSchema {
  if (!isSchema(schema)) throw new SchemaRefused("a JSON Schema must be an object", "");
  try {
    return new CompiledSchema(new SchemaDocument(schema));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // Reading a schema is recursive, so the stack limits its depth.
    throw new SchemaRefused("the schema is nested too deeply", "");
  }
}

export class CompiledSchema {
  readonly #document: SchemaDocument;
  readonly #patterns = new PatternCompiler();
  readonly #known = new Map<JsonObject, Validate>();
  /** Whether it uses `format`, which is not checked. */
  readonly hasFormat: boolean;

  constructor(document: SchemaDocument) {
    this.#document = document;
    this.hasFormat = [...document.nodes.keys()].some(({ format }) => format !== undefined);
    // Compiles all definitions, because one that is unused now may be used after the next edit.
    for (const schema of document.nodes.keys()) this.#compile(schema);
  }

  /** Unknown keywords that are close to a known one, with their pointers. Lists the first ones. */
  findMisspelt(): MisspeltKeyword[] {
    const { nodes, dialect } = this.#document;
    const found: MisspeltKeyword[] = [];
    let looks = UNKNOWN_KEYWORDS_MAX;
    for (const { schema, pointer } of nodes.values()) {
      for (const name of Object.keys(schema)) {
        if (findKeyword(dialect, name) !== undefined) continue;
        looks -= 1;
        // It is harmless beside a type that allows null, or without a type.
        if (name === NULLABLE && takesNull(schema)) continue;
        const meant = nearestKeyword(dialect, name);
        if (meant !== undefined) found.push({ name, meant, pointer });
        if (looks === 0 || found.length === MISSPELT_LISTED_MAX) return found;
      }
    }
    return found;
  }

  /** The total size of its patterns, in instructions. */
  get instructions(): number {
    return this.#patterns.instructions;
  }

  isValid(row: unknown, run: CheckRun): boolean {
    return this.#compile(this.#document.root)(row, run);
  }

  /** @param refusal the message for every value if the schema is false */
  #compile(schema: unknown, refusal = "is not allowed"): Validate {
    if (schema === false) return (_value, run) => run.fail(refusal);
    const node = isObject(schema) ? this.#document.nodes.get(schema) : undefined;
    if (node === undefined) return () => true;
    const known = this.#known.get(node.schema) ?? this.#compileNode(node);
    this.#known.set(node.schema, known);
    return known;
  }

  #compileNode(node: SchemaNode): Validate {
    const schema = this.#knownKeywords(node);
    const validators = [
      ...node.references.map((reference) => this.#follow(reference)),
      ...assertionsOf(schema),
      ...this.#pattern(schema, node.pointer),
      ...this.#inPlace(schema),
      ...this.#properties(schema, node.pointer),
      ...this.#items(schema),
      // Last, because they apply to what no other keyword has evaluated. Core 11.
      ...this.#unevaluated(schema),
    ];
    const hasUnevaluated = "unevaluatedItems" in schema || "unevaluatedProperties" in schema;
    const { isDynamic } = this.#document;
    return (value, run, seen) => {
      run.spend(1);
      if (isDynamic) run.scope.push(node.resource);
      const own: Seen | undefined = hasUnevaluated ? new Set() : seen;
      const isValid = meetsAll(validators, value, run, own);
      if (hasUnevaluated) addSeen(seen, own, run);
      if (isDynamic) run.scope.pop();
      return isValid;
    };
  }

  /**
   * The keywords of a subschema that the draft knows. In draft-07 (core 8.3), keywords beside a `$ref` have no effect.
   */
  #knownKeywords({ schema, references }: SchemaNode): JsonObject {
    const { dialect } = this.#document;
    if (dialect === "draft-07" && references.length > 0) return {};
    const known = Object.entries(schema).filter(([name]) => findKeyword(dialect, name));
    return Object.fromEntries(known);
  }

  /** Compiled on first use, because a reference may be circular. */
  #follow({ target, dynamicName }: Reference): Validate {
    return (value, run, seen) => {
      let schema = target;
      if (dynamicName !== undefined) {
        // The outermost resource with such an anchor decides. Core 8.2.3.2.
        run.spend(run.scope.length);
        const outermost = run.scope.find(({ dynamicAnchors }) => dynamicAnchors.has(dynamicName));
        schema = outermost?.dynamicAnchors.get(dynamicName) ?? target;
      }
      return this.#compile(schema)(value, run, seen);
    };
  }

  #pattern({ pattern }: JsonObject, pointer: string): Validate[] {
    if (typeof pattern !== "string") return [];
    const compiled = this.#patterns.compile(pattern, `${pointer}/pattern`);
    const message = `must match the pattern ${pattern}`;
    return [
      (value, run) => typeof value !== "string" || compiled.test(value, run) || run.fail(message),
    ];
  }

  /** Subschemas that apply to the same value. */
  #inPlace(schema: JsonObject): Validate[] {
    const { allOf, anyOf, oneOf, not, if: condition } = schema;
    const all = this.#list(allOf);
    if (anyOf !== undefined) all.push(meetsSome("anyOf", this.#list(anyOf)));
    if (oneOf !== undefined) all.push(meetsSome("oneOf", this.#list(oneOf)));
    if (not !== undefined) all.push(meetsNot(this.#compile(not)));
    if (condition !== undefined) {
      const [whenTrue, whenFalse] = [this.#compile(schema.then), this.#compile(schema.else)];
      all.push(meetsIf(this.#compile(condition), whenTrue, whenFalse));
    }
    const { dependencies, dependentRequired, dependentSchemas } = schema;
    const conditions = [dependencies, dependentRequired, dependentSchemas].flatMap(entriesOf);
    for (const [name, needs] of conditions) {
      const validate = Array.isArray(needs)
        ? required(needs, ` if it has ${JSON.stringify(name)}`)
        : this.#compile(needs);
      all.push(
        (value, run, seen) =>
          !isObject(value) || !Object.hasOwn(value, name) || validate(value, run, seen),
      );
    }
    return all;
  }

  #properties(schema: JsonObject, pointer: string): Validate[] {
    const { properties, patternProperties, additionalProperties, propertyNames } = schema;
    const all = propertyNames === undefined ? [] : [eachName(this.#compile(propertyNames))];
    const keywords = [properties, patternProperties, additionalProperties];
    if (keywords.every((keyword) => keyword === undefined)) return all;
    const named = new Map(entriesOf(properties).map(([name, each]) => [name, this.#compile(each)]));
    const patterned = entriesOf(patternProperties).map(([pattern, each]) => ({
      pattern: this.#patterns.compile(pattern, `${pointer}/patternProperties${pointerTo(pattern)}`),
      validate: this.#compile(each),
    }));
    const others =
      additionalProperties === undefined
        ? undefined
        : this.#compile(additionalProperties, NO_SUCH_PROPERTY);
    all.push(
      eachProperty((key, member, run, seen) => {
        const validate = named.get(key);
        let isKnown = validate !== undefined;
        let isValid = validate === undefined || validate(member, run);
        for (const each of patterned) {
          if (!each.pattern.test(key, run)) continue;
          isKnown = true;
          isValid = each.validate(member, run) && isValid;
        }
        if (isKnown || others !== undefined) seen?.add(key);
        return isKnown || others === undefined ? isValid : others(member, run);
      }),
    );
    return all;
  }

  /** A list of `items` in draft-07 is `prefixItems` in 2020-12, and `additionalItems` is `items`. */
  #items(schema: JsonObject): Validate[] {
    const { items, prefixItems, additionalItems, contains, minContains, maxContains } = schema;
    const all: Validate[] = [];
    const isTuple = Array.isArray(items);
    const prefix = this.#list(isTuple ? items : prefixItems);
    const others = isTuple ? additionalItems : items;
    if (prefix.length > 0 || others !== undefined) {
      const rest = others === undefined ? undefined : this.#compile(others);
      all.push(eachItem((index) => prefix[index] ?? rest));
    }
    if (contains !== undefined) {
      const [least, most] = [Number(minContains ?? 1), Number(maxContains ?? Infinity)];
      all.push(meetsContains(this.#compile(contains), least, most));
    }
    return all;
  }

  #unevaluated({ unevaluatedItems, unevaluatedProperties }: JsonObject): Validate[] {
    const all: Validate[] = [];
    if (unevaluatedItems !== undefined) {
      const validate = this.#compile(unevaluatedItems);
      all.push(eachItem((index, seen) => (seen?.has(index) ? undefined : validate)));
    }
    if (unevaluatedProperties !== undefined) {
      const validate = this.#compile(unevaluatedProperties, NO_SUCH_PROPERTY);
      all.push(
        eachProperty((key, member, run, seen) => {
          if (seen?.has(key)) return true;
          seen?.add(key);
          return validate(member, run);
        }),
      );
    }
    return all;
  }

  #list(schemas: unknown): Validate[] {
    return Array.isArray(schemas) ? schemas.map((each) => this.#compile(each)) : [];
  }
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

/** Whether a schema's type allows null. */
function takesNull({ type }: JsonObject): boolean {
  return type === undefined || [type].flat().includes("null");
}
