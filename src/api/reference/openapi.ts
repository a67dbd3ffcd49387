/**
 * Converts the OpenAPI 3.0 document that @elysiajs/swagger builds from the routes to a valid 3.1 document.
 *
 * The plugin lists paths and parameters. The bodies pass through it as the routes declare them (`described.ts`),
 * because it supports neither headers nor null, and gives every body three media types.
 *
 * @module
 */

import { anchorOf, PROBLEMS, type ProblemCode } from "../../http/problem_details.ts";
import { isObject, mapTable } from "../../lib/records.ts";
import type { MediaDoc, SchemaDocs } from "./described.ts";
import { HEADERS, type HeaderName } from "./header_docs.ts";
import { type DocumentContext, documentInfo, SECURITY_SCHEMES, TAGS } from "./info.ts";
import { PROBLEM_DOCS } from "./problem_docs.ts";

type Json = Readonly<Record<string, unknown>>;

/** The parts of the plugin's document that are read here. */
export interface PluginDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, PluginOperation>>>>;
}

interface PluginOperation {
  readonly parameters?: readonly PluginParameter[];
  readonly requestBody?: BodySchema;
  /** By status. */
  readonly responses: Readonly<Record<string, BodySchema>>;
  readonly [member: string]: unknown;
}

interface PluginParameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly required?: boolean;
  /** Those of the schema, which the plugin moves here. */
  readonly examples?: readonly unknown[];
  readonly schema: Json;
}

/** The schema of a body, with its documentation. */
type BodySchema = Json & { readonly documented: SchemaDocs };

type Paths = Readonly<Record<string, Readonly<Record<string, Json>>>>;

/** The document of all routes. */
export function openApi31(
  plugin: PluginDocument,
  { webhooks = {}, ...context }: DocumentContext & { readonly webhooks?: Paths },
): Json {
  const { paths, schemas } = schemas31(
    mapTable(plugin.paths, (methods) =>
      mapTable(methods, (route) => operation(route, context.baseUrl)),
    ),
  );
  const headers = mapTable(HEADERS, (header) => ({ required: true, ...header }));
  const used = JSON.stringify(paths);
  return {
    openapi: "3.1.0",
    info: documentInfo(context),
    servers: [{ url: context.baseUrl, description: "This gateway" }],
    security: [],
    tags: TAGS,
    paths,
    webhooks: schemas31(webhooks).paths,
    components: {
      schemas: Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))),
      headers: Object.fromEntries(
        Object.entries(headers).filter(([name]) => used.includes(`/headers/${name}"`)),
      ),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function operation(route: PluginOperation, baseUrl: string): Json {
  const { parameters = [], requestBody, responses, ...rest } = route;
  return {
    ...rest,
    parameters: requiredFirst(parameters.map(parameter)),
    ...(requestBody && { requestBody: body(requestBody) }),
    responses: mapTable(responses, (each, status) => response(each, Number(status), baseUrl)),
  };
}

/** Required parameters come first. Otherwise the order is kept. */
function requiredFirst(parameters: readonly Json[]): readonly Json[] {
  return parameters.toSorted((a, b) => Number(b.required) - Number(a.required));
}

/** An object is sent as `name[member]=value`. */
function parameter(given: PluginParameter): Json {
  const { name, in: place, description, required = false, examples, schema } = given;
  return {
    // `If-None-Match` instead of `if-none-match`.
    name: place === "header" ? name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()) : name,
    in: place,
    required,
    ...(description !== undefined && { description }),
    ...(schema.type === "object" && { style: "deepObject", explode: true, example: {} }),
    schema: { ...schema, ...(examples !== undefined && { examples }) },
  };
}

function body({ documented, ...schema }: BodySchema): Json {
  const { description } = documented;
  return { description, required: true, content: contents(schema, documented) };
}

function response({ documented, ...schema }: BodySchema, status: number, baseUrl: string): Json {
  const { headers = [], headersOptional = [], codes } = documented;
  const around = {
    description: documented.description,
    headers: headerObjects(["X-Request-Id", ...headers], headersOptional),
  };
  if (schema.type === "void") return around;
  if (codes === undefined) return { ...around, content: contents(schema, documented) };
  const { additionalProperties: _, ...open } = schema;
  const examples = codes.map((code) => [
    code,
    { summary: PROBLEMS[code].title, value: problemExample(code, status, baseUrl) },
  ]);
  return {
    ...around,
    content: {
      "application/problem+json": { schema: open, examples: Object.fromEntries(examples) },
    },
  };
}

/** By media type. */
function contents(
  { additionalProperties: _, ...schema }: Json,
  { examples, mediaTypes = { "application/json": {} } }: SchemaDocs,
): Json {
  return mapTable(mediaTypes, ({ schema: own, example, examples: titles }: MediaDoc) => ({
    // Elysia closes a schema once it validates with it, but documented schemas stay open to new members.
    schema: own ?? schema,
    ...(example !== undefined && { example }),
    ...(examples && own === undefined && { examples: titled(examples) }),
    ...(titles && { examples: titled(titles) }),
  }));
}

function titled(examples: Json): Json {
  return Object.fromEntries(
    Object.entries(examples).map(([summary, value]) => [
      summary.toLowerCase().replace(/[^a-z0-9]+/g, "-"),
      { summary, value },
    ]),
  );
}

/** Required headers are components. Optional ones are written out, without `required`. */
function headerObjects(required: readonly HeaderName[], optional: readonly HeaderName[]): Json {
  return Object.fromEntries([
    ...required.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ...optional.map((name) => [name, HEADERS[name]]),
  ]);
}

function problemExample(code: ProblemCode, status: number, baseUrl: string): Json {
  const { remedy, extras } = PROBLEM_DOCS[code];
  return {
    type: `${baseUrl}/docs#${anchorOf(code)}`,
    title: PROBLEMS[code].title,
    status,
    detail: remedy.replaceAll("`", ""),
    code,
    request_id: HEADERS["X-Request-Id"].example,
    ...extras,
  };
}

/** Converts schemas to JSON Schema 2020-12, and moves named schemas to components. */
function schemas31(paths: Paths) {
  const schemas = new Map<string, Json>();
  const referring: Paths = JSON.parse(JSON.stringify(paths), (_, value) => {
    if (!isObject(value)) return value;
    const { $id, ...unnamed } = value;
    const schema = nullable31(unnamed);
    if (typeof $id !== "string") return schema;
    schemas.set($id, schema);
    return { $ref: `#/components/schemas/${$id}` };
  });
  return { paths: referring, schemas };
}

/** Converts `anyOf` of a plain type and null to JSON Schema's shortest form. */
function nullable31(schema: Json): Json {
  const { anyOf, ...rest } = schema;
  const [member, none, third]: unknown[] = Array.isArray(anyOf) ? anyOf : [];
  if (!isObject(member) || !isObject(none) || third !== undefined) return schema;
  if (none.type !== "null" || typeof member.type !== "string") return schema;
  const { const: only, enum: choices, ...described } = member;
  // A constant beside null would refuse the null.
  const values = Array.isArray(choices) ? choices : only === undefined ? undefined : [only];
  return {
    ...rest,
    ...described,
    type: [member.type, "null"],
    ...(values !== undefined && { enum: [...values, null] }),
  };
}
