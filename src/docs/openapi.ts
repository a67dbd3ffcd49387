/**
 * The OpenAPI 3.1 document: what @elysiajs/swagger tells of the routes, mended, and joined with what
 * is known of each operation beside its route.
 *
 * The plugin writes OpenAPI 3.0 whose responses no rule set passes. It is used for what it knows best:
 * which routes there are, and the parameters that they declare. An operation that is documented and has
 * no route is left out; a route that is not documented stays as the plugin describes it. A test fails
 * on either.
 *
 * @module
 */
import { type TSchema, Type } from "@sinclair/typebox";
import { anchorOf, PROBLEMS, type ProblemCode } from "../http/errors.ts";
import type { Limits } from "../limits.ts";
import { CONSUMER_OPERATIONS } from "./consumer_operations.ts";
import { HEADERS, type HeaderName, RATE_HEADERS } from "./headers.ts";
import { documentInfo, SECURITY_SCHEMES, TAGS } from "./info.ts";
import type { AnswerDoc, MediaDoc, OperationDoc, ParameterDoc } from "./operation.ts";
import { PROBLEM_DOCS } from "./problems.ts";
import { PROVIDER_OPERATIONS } from "./provider_operations.ts";
import { PUBLIC_OPERATIONS } from "./public_operations.ts";
import { ref, SCHEMAS } from "./schemas.ts";

/** Every operation that is documented, whether or not its route is mounted. */
export const OPERATIONS: readonly OperationDoc[] = [
  ...CONSUMER_OPERATIONS,
  ...PROVIDER_OPERATIONS,
  ...PUBLIC_OPERATIONS,
];

type Json = Record<string, unknown>;

/** As far as it is read here, what the plugin writes. */
export interface PluginDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, PluginOperation>>>>;
}

interface PluginOperation {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly PluginParameter[];
}

interface PluginParameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly schema?: Json;
}

export interface DocumentContext {
  /** Public address without a trailing slash. */
  readonly baseUrl: string;
  readonly limits: Limits;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly [member: string]: unknown;
}

/** Joins what the plugin tells of the routes with `OPERATIONS`. */
export function describeApi(plugin: PluginDocument, context: DocumentContext): OpenApiDocument {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [path, methods] of Object.entries(plugin.paths)) {
    for (const [method, route] of Object.entries(methods)) {
      const doc = OPERATIONS.find(
        (each) => each.method === method && formOf(each.path) === formOf(path),
      );
      const shown = doc?.path ?? path;
      paths[shown] ??= {};
      paths[shown][method] =
        doc === undefined ? undocumented(route) : operation(doc, route, context);
    }
  }
  return {
    openapi: "3.1.0",
    info: documentInfo(context),
    servers: [{ url: context.baseUrl, description: "This gateway" }],
    security: [],
    tags: TAGS,
    paths: inDocumentedOrder(paths),
    components: components(paths),
  };
}

/** A path without the names of its parameters, which a route may choose as it likes. */
function formOf(path: string): string {
  return path.replace(/\{[^}]*\}/g, "{}");
}

function inDocumentedOrder(paths: Record<string, Record<string, Json>>) {
  const place = (path: string) => {
    const index = OPERATIONS.findIndex((each) => each.path === path);
    return index < 0 ? OPERATIONS.length : index;
  };
  return Object.fromEntries(Object.entries(paths).sort(([a], [b]) => place(a) - place(b)));
}

/** What is left to say of a route that nobody has documented. */
function undocumented(route: PluginOperation): Json {
  const { parameters = [], ...rest } = route;
  return {
    ...rest,
    parameters: parameters.map(declaredParameter),
    responses: { default: { description: "Not documented." } },
  };
}

const SECURITY: Readonly<Record<OperationDoc["access"], readonly Json[]>> = {
  consumer: [{ apiKey: [] }, { bearer: [] }],
  provider: [{ bearer: [] }],
  public: [],
};

function operation(doc: OperationDoc, route: PluginOperation, context: DocumentContext): Json {
  const { operationId, summary, description, access, tag, body } = doc;
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    security: SECURITY[access],
    parameters: parameters(doc.parameters ?? [], route.parameters ?? []),
    ...(body && {
      requestBody: {
        description: body.description,
        required: true,
        content: {
          "application/json": { schema: ref(body.schema), examples: titled(body.examples) },
          ...(body.lines !== undefined && {
            "application/x-ndjson": { schema: Type.String(), example: body.lines },
          }),
        },
      },
    }),
    responses: responses(doc, context),
  };
}

/** The route's own, but for those that the documentation says itself; a path's by place, not name. */
function parameters(own: readonly ParameterDoc[], declared: readonly PluginParameter[]): Json[] {
  const isOwn = (each: PluginParameter) =>
    own.some(({ name, in: place }) =>
      place === "path" ? each.in === "path" : place === each.in && name === each.name,
    );
  const said = own.map((each) => ({ ...each, required: each.in === "path" }));
  return [
    ...said.filter((each) => each.in === "path"),
    ...declared.filter((each) => !isOwn(each)).map(declaredParameter),
    ...said.filter((each) => each.in !== "path"),
  ];
}

function declaredParameter(parameter: PluginParameter): Json {
  const { name, in: place, description, required = false, schema = {} } = parameter;
  return {
    name,
    in: place,
    required: place === "path" || required,
    ...(description !== undefined && { description }),
    schema: choices(schema),
  };
}

/** A union of literals as `enum`, which clients and pages show better. */
function choices(schema: Json): Json {
  const { anyOf, ...rest } = schema as { anyOf?: readonly { const?: unknown; type?: string }[] };
  if (anyOf === undefined || !anyOf.every((each) => "const" in each)) return schema;
  return { ...rest, type: anyOf[0]?.type, enum: anyOf.map((each) => each.const) };
}

function responses(doc: OperationDoc, context: DocumentContext): Json {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of doc.problems) {
    const status = statusOf(code, doc);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const answers = Object.entries(doc.answers).map(([status, each]) => [status, answer(each)]);
  const problems = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, codes]) => [String(status), problem(doc, status, codes, context)]);
  return Object.fromEntries([...answers, ...problems]);
}

/** `KEY_INVALID` has two. Decisions 2. */
function statusOf(code: ProblemCode, { access }: OperationDoc): number {
  if (code === "KEY_INVALID") return access === "consumer" ? 403 : 401;
  return PROBLEMS[code].status;
}

function answer({ description, content, headers = [], headersOptional = [] }: AnswerDoc): Json {
  return {
    description,
    headers: headerObjects(["X-Request-Id", ...headers], headersOptional),
    ...(content && {
      content: Object.fromEntries(
        Object.entries(content).map(([type, media]) => [type, mediaObject(media)]),
      ),
    }),
  };
}

function mediaObject({ schema, example, examples }: MediaDoc): Json {
  return {
    schema: typeof schema === "string" ? ref(schema) : schema,
    ...(example !== undefined && { example }),
    ...(examples && { examples: titled(examples) }),
  };
}

function titled(examples: Readonly<Record<string, unknown>>): Json {
  return Object.fromEntries(
    Object.entries(examples).map(([summary, value]) => [
      summary.toLowerCase().replace(/[^a-z0-9]+/g, "-"),
      { summary, value },
    ]),
  );
}

function problem(
  doc: OperationDoc,
  status: number,
  codes: readonly ProblemCode[],
  context: DocumentContext,
): Json {
  const { required, optional } = problemHeaders(doc, status);
  return {
    description: codes.map((code) => PROBLEM_DOCS[code].when).join(" "),
    headers: headerObjects(required, optional),
    content: {
      "application/problem+json": {
        schema: ref("Problem"),
        examples: Object.fromEntries(
          codes.map((code) => [
            code,
            { summary: PROBLEMS[code].title, value: problemExample(code, status, context) },
          ]),
        ),
      },
    },
  };
}

function problemExample(code: ProblemCode, status: number, { baseUrl }: DocumentContext): Json {
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

/** Decisions 2, 3 and 10, "Answers". */
function problemHeaders({ access, window }: OperationDoc, status: number) {
  const required: HeaderName[] = ["X-Request-Id"];
  const optional: HeaderName[] = [];
  if (access !== "public") required.push("Cache-Control");
  if (status === 401) required.push("WWW-Authenticate");
  if (status === 429 || status === 503) required.push("Retry-After");
  if (status === 429) required.push(...RATE_HEADERS);
  // A feed that is not bought is refused before its window is looked at.
  if (window === "data" && status === 402) optional.push(...RATE_HEADERS);
  if (window === "push") {
    // Counted are the pushes that passed the ownership check; a wrong parameter may be told before.
    if (status === 409 || status === 413 || status === 415 || status === 422) {
      required.push(...RATE_HEADERS);
    } else if (status === 400 || status >= 500) {
      optional.push(...RATE_HEADERS);
    }
  }
  return { required, optional };
}

/** Those that are always there are components; the others are written out, without `required`. */
function headerObjects(required: readonly HeaderName[], optional: readonly HeaderName[]): Json {
  return Object.fromEntries([
    ...required.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ...optional.map((name) => [name, HEADERS[name]]),
  ]);
}

/** The components that the paths refer to, also by way of one another. */
function components(paths: unknown): Json {
  const headers = Object.fromEntries(
    Object.entries(HEADERS).map(([name, header]) => [name, { required: true, ...header }]),
  );
  const texts = [JSON.stringify(paths)];
  const isUsed = (kind: string, name: string) =>
    texts.some((text) => text.includes(`"#/components/${kind}/${name}"`));
  const schemas = new Map<string, TSchema>();
  for (let size = -1; size < schemas.size; ) {
    size = schemas.size;
    for (const [name, schema] of Object.entries(SCHEMAS)) {
      if (schemas.has(name) || !isUsed("schemas", name)) continue;
      schemas.set(name, schema);
      texts.push(JSON.stringify(schema));
    }
  }
  return {
    schemas: Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))),
    headers: Object.fromEntries(
      Object.entries(headers).filter(([name]) => isUsed("headers", name)),
    ),
    securitySchemes: SECURITY_SCHEMES,
  };
}
