/**
 * ajv, held so that a stranger's schema can be run.
 *
 * ajv writes a schema out as JavaScript. Before that code is compiled, a step counter is put into each
 * function, loop and error, so that running it stops at a bound (`budget.ts`); patterns run in linear
 * time; values are compared by look-up. ajv only ever sees the normal form of `normal_schema.ts`.
 *
 * Numbers are JavaScript doubles here: a row's 9007199254740993 is checked as 9007199254740992, though
 * it is stored and served as pushed.
 *
 * @module
 */
import {
  _,
  Ajv,
  type CodeKeywordDefinition,
  type ErrorObject,
  Name,
  type ValidateFunction,
} from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import ajvContains from "ajv/dist/vocabularies/applicator/contains.js";
import ajvUnevaluatedItems from "ajv/dist/vocabularies/unevaluated/unevaluatedItems.js";
import { boundedPointer, pointerTo } from "../lib/json_text.ts";
import type { Budget } from "./budget.ts";
import { MESSAGE_CHARS_MAX } from "./limits.ts";
import { PatternCompiler } from "./linear_pattern.ts";
import { type NormalSchema, normalizeSchema } from "./normal_schema.ts";
import { type Dialect, isObject, type JsonObject, readSchemaDocument } from "./schema_document.ts";
import { SchemaRefused } from "./schema_refused.ts";
import { CHECKS_NAME, type Check, valueKeywords } from "./value_keywords.ts";

/** What is wrong with one value. */
export interface ValueError {
  /** RFC 6901, inside the value; "" for the value itself. */
  readonly pointer: string;
  readonly message: string;
}

export interface RowValidator {
  /** What it holds in memory beside its code, in instructions of patterns. */
  readonly instructions: number;
  /** The first thing that is wrong, or undefined. @throws {BudgetSpent} */
  findError(value: unknown): ValueError | undefined;
  /** All that is wrong with a value that has an error. @throws {BudgetSpent} */
  explain(value: unknown): ValueError[];
}

/** @throws {SchemaRefused} with a sentence for the provider. */
export function compileRowSchema(schema: unknown, budget: Budget): RowValidator {
  if (typeof schema !== "boolean" && !isObject(schema)) {
    throw new SchemaRefused("a JSON Schema must be an object");
  }
  return orTooDeep(() => {
    const root: JsonObject = typeof schema === "boolean" ? { allOf: [schema] } : schema;
    const normal = normalizeSchema(readSchemaDocument(root, checkByMetaschema));
    return new GuardedValidator(normal, budget);
  });
}

/** Reading and writing a schema recurse, so its depth is bounded by the stack. */
function orTooDeep<Result>(compile: () => Result): Result {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new SchemaRefused("the schema nests too deeply, or says too much in one place");
  }
}

class GuardedValidator implements RowValidator {
  readonly instructions: number;
  readonly #first: ValidateFunction;
  /** Most feeds never push a wrong row, so the second form waits for one. */
  #all: ValidateFunction | undefined;

  readonly #normal: NormalSchema;
  readonly #budget: Budget;

  constructor(normal: NormalSchema, budget: Budget) {
    this.#normal = normal;
    this.#budget = budget;
    const patterns = new PatternCompiler(budget);
    this.#first = compileNormal(normal, { allErrors: false, budget, patterns });
    this.instructions = patterns.instructions;
  }

  findError(value: unknown): ValueError | undefined {
    if (this.#first(value)) return undefined;
    const { errors } = this.#first;
    return describeAll(errors).at(-1) ?? { pointer: "", message: "must match the schema" };
  }

  explain(value: unknown): ValueError[] {
    const budget = this.#budget;
    this.#all ??= compileNormal(this.#normal, {
      allErrors: true,
      budget,
      patterns: new PatternCompiler(budget),
    });
    return this.#all(value) ? [] : describeAll(this.#all.errors);
  }
}

function compileNormal(
  normal: NormalSchema,
  options: { allErrors: boolean; budget: Budget; patterns: PatternCompiler },
): ValidateFunction {
  const { allErrors, budget, patterns } = options;
  const regExp = Object.assign((pattern: string) => patterns.compile(pattern), {
    code: "linear",
  });
  // An instance for each schema: what one provider compiles is never in reach of another's.
  const ajv = new Ajv2020({
    allErrors,
    strict: false,
    meta: false,
    validateSchema: false,
    validateFormats: false,
    addUsedSchema: false,
    // An inlined reference would be code without a counter.
    inlineRefs: false,
    // A row without "constructor" has none, whatever its prototype.
    ownProperties: true,
    unicodeRegExp: true,
    logger: false,
    code: { regExp, process: insertCounters, optimize: false },
  });
  const checks: Check[] = [];
  Object.assign(ajv, { budget, [CHECKS_NAME]: checks });
  const keywords = [...valueKeywords({ budget, patterns, checks }), contains, unevaluatedItems];
  for (const definition of keywords) {
    ajv.removeKeyword(definition.keyword as string);
    ajv.addKeyword(definition);
  }
  try {
    return ajv.compile(normal);
  } catch (error) {
    if (error instanceof SchemaRefused || error instanceof RangeError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new SchemaRefused(`the schema cannot be compiled: ${shorten(reason)}`);
  }
}

/** ajv's own, but for this: it holds every item evaluated by it. `normal_schema.ts` says which are. */
const contains: CodeKeywordDefinition = {
  ...ajvContains,
  code(context) {
    const { items } = context.it;
    ajvContains.code(context);
    if (items === undefined) delete context.it.items;
    else context.it.items = items;
  },
};

/** ajv's own, but for this: it takes "all items", known only at run time, for the number 1. */
const unevaluatedItems: CodeKeywordDefinition = {
  ...ajvUnevaluatedItems,
  code(context) {
    const { gen, data, it } = context;
    const { items } = it;
    if (items instanceof Name) {
      it.items = gen.const("items", _`${items} === true ? ${data}.length : ${items} || 0`);
    }
    ajvUnevaluatedItems.code(context);
  },
};

/**
 * The places in ajv's code that get a counter. String literals come first, so that a property named
 * "errors++;" stays one. Property maps lose their prototype: a row's "constructor" is not one that
 * `unevaluatedProperties` has seen.
 */
const SITES =
  /"[^"\\]*(?:\\.[^"\\]*)*"|\}=\{\}\)\{|\bfor\([^{}"]*\)\{|\berrors(?:\+\+| = vErrors\.length);|\b(?:var props\d+ = |props\d+ \|\| )\{\}/g;

function insertCounters(code: string): string {
  let functions = 0;
  const counted = code.replace(SITES, (site) => {
    if (site.startsWith('"')) return site;
    if (site.startsWith("errors")) return `${site}budget.spendOnError(errors);`;
    if (site.endsWith("{}")) return `${site.slice(0, -2)}{__proto__:null}`;
    if (site.startsWith("}")) functions += 1;
    return `${site}budget.spend(1);`;
  });
  // Never to run code without a counter, should a version of ajv write functions in another way.
  if (functions !== 1) throw new SchemaRefused("the schema cannot be guarded");
  return `const budget = self.budget, ${CHECKS_NAME} = self.${CHECKS_NAME};${counted}`;
}

/** Compiled on first use, once for each worker: they take 25 ms. */
const metaValidators = new Map<Dialect, ValidateFunction>();

function checkByMetaschema(dialect: Dialect, node: JsonObject): string | undefined {
  const validate = metaValidators.get(dialect) ?? compileMetaschema(dialect);
  metaValidators.set(dialect, validate);
  if (validate(node)) return undefined;
  const error = validate.errors?.[0];
  if (error === undefined) return "is not a JSON Schema";
  const { pointer, message } = describe(error);
  const place = pointer === "" ? "the schema" : `${shorten(pointer)} in the schema`;
  return `${place} ${message}`;
}

function compileMetaschema(dialect: Dialect): ValidateFunction {
  const options = { strict: false, validateFormats: false, logger: false } as const;
  const [ajv, id] =
    dialect === "draft-07"
      ? [new Ajv(options), "http://json-schema.org/draft-07/schema"]
      : [new Ajv2020(options), "https://json-schema.org/draft/2020-12/schema"];
  const validate = ajv.getSchema(id);
  if (validate === undefined) throw new Error(`ajv has no metaschema ${id}`);
  return validate as ValidateFunction;
}

/** Those that only say that an inner one failed are left out. */
function describeAll(errors: readonly ErrorObject[] | null | undefined): ValueError[] {
  return (errors ?? [])
    .filter(({ keyword }) => keyword !== "if" && keyword !== "propertyNames")
    .map(describe);
}

function describe(error: ErrorObject): ValueError {
  const { keyword, params, propertyName, instancePath } = error;
  const pointer = boundedPointer(instancePath);
  const message = error.message ?? "must match the schema";
  if (propertyName !== undefined) {
    return { pointer, message: shorten(`has a property whose name ${message}`) };
  }
  if (keyword === "false schema") return { pointer, message: "must not be there" };
  const unknown: unknown = params.additionalProperty ?? params.unevaluatedProperty;
  if (typeof unknown === "string") {
    return {
      pointer: boundedPointer(instancePath + pointerTo(unknown)),
      message: "must not be there: the schema has no such property",
    };
  }
  return { pointer, message: shorten(message) };
}

function shorten(text: string): string {
  return text.length > MESSAGE_CHARS_MAX ? `${text.slice(0, MESSAGE_CHARS_MAX - 1)}…` : text;
}
