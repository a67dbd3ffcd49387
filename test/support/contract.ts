/**
 * Verifies that responses match the contract in `/docs/json`.
 *
 * Checks the status, the content type, the required headers, and the body, which may contain no undocumented members.
 *
 * @module
 */
import { Ajv2020, type Options, type ValidateFunction } from "ajv/dist/2020.js";
import { parseEventTime } from "../../src/lib/date_time.ts";
import { parseUuid } from "../../src/lib/uuid.ts";
import { checkDetail } from "./problem_detail.ts";

type Json = Record<string, unknown>;

interface MediaType {
  readonly schema: Json;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface DocumentedResponse {
  readonly headers?: Readonly<Record<string, Json>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

export interface DocumentedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Json>>;
    readonly headers: Readonly<Record<string, Json>>;
  };
}

export interface Contract {
  readonly document: OpenApi;
  /** `operationId status` of every response that was checked. */
  readonly seen: ReadonlySet<string>;
  /** The response's body. @throws if the response violates the contract */
  check(method: string, response: Response): Promise<unknown>;
}

/** A contract from the document that the gateway serves. */
export async function loadContract(baseUrl: string): Promise<Contract> {
  const document = (await (await fetch(`${baseUrl}/docs/json`)).json()) as OpenApi;
  const components = closed(document.components);
  const validatorOf = createValidators({ components }, { allErrors: true });
  const seen = new Set<string>();
  return {
    document,
    seen,
    async check(method, response) {
      const { pathname } = new URL(response.url);
      const found = findOperation(document, method, pathname.replace(/^\/api\/v1\//, "/v1/"));
      const where = `${method} ${pathname} ${response.status}`;
      const promised = found.operation.responses[response.status];
      if (promised === undefined) throw new Error(`${where}: no such status is documented`);
      checkHeaders(where, response, promised, document);
      const body = await readBody(response);
      checkDetail(body);
      const type = response.headers.get("content-type")?.split(";")[0] ?? "";
      const media = promised.content?.[type];
      if (promised.content === undefined) {
        if (body !== "") throw new Error(`${where}: a body where none is documented`);
      } else if (media === undefined) {
        throw new Error(`${where}: the content type "${type}" is not documented`);
      } else if (isJson(type)) {
        checkBody(where, validatorOf(closed(media.schema)), body);
      }
      seen.add(`${found.operation.operationId} ${response.status}`);
      return body;
    },
  };
}

function findOperation(document: OpenApi, method: string, pathname: string) {
  // Paths without parameters take precedence.
  const paths = Object.keys(document.paths).sort(
    (a, b) => Number(a.includes("{")) - Number(b.includes("{")),
  );
  for (const path of paths) {
    const pattern = new RegExp(`^${path.replaceAll(".", "\\.").replace(/\{[^}]+\}/g, "[^/]+")}$`);
    const operation = document.paths[path]?.[method.toLowerCase()];
    if (pattern.test(pathname) && operation !== undefined) return { path, operation };
  }
  throw new Error(`${method} ${pathname} is not documented`);
}

async function readBody(response: Response): Promise<unknown> {
  const text = await response.text();
  return isJson(response.headers.get("content-type") ?? "") ? JSON.parse(text) : text;
}

/** JSON Lines are documented as text, so they are not parsed. */
function isJson(type: string): boolean {
  return type.includes("json") && !type.includes("ndjson");
}

function checkHeaders(
  where: string,
  response: Response,
  promised: DocumentedResponse,
  document: OpenApi,
): void {
  for (const [name, header] of Object.entries(promised.headers ?? {})) {
    const reference = header.$ref as string | undefined;
    const definition =
      reference === undefined
        ? header
        : document.components.headers[reference.split("/").at(-1) ?? ""];
    const value = response.headers.get(name);
    if (value === null && definition?.required === true) {
      throw new Error(`${where}: the header ${name} is missing`);
    }
    const schema = definition?.schema as { type?: string } | undefined;
    if (value !== null && schema?.type === "integer" && !/^\d+$/.test(value)) {
      throw new Error(`${where}: the header ${name} is "${value}", no integer`);
    }
  }
}

/**
 * Validates values against schemas of the document. Identical schemas, such as those of problems, are compiled once.
 */
export function createValidators(document: object, options: Options) {
  const ajv = new Ajv2020({ ...options, strict: false, validateSchema: false });
  ajv.addFormat("date-time", (text) => parseEventTime(text) !== undefined);
  ajv.addFormat("date", /^\d{4}-\d{2}-\d{2}$/);
  ajv.addFormat("uuid", (text) => parseUuid(text) !== undefined);
  ajv.addFormat("uri", (text) => URL.canParse(text));
  ajv.addSchema(document, "api");
  const known = new Map<string, ValidateFunction>();
  return (schema: Json): ValidateFunction => {
    const text = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"api#/');
    const validator = known.get(text) ?? ajv.compile(JSON.parse(text));
    known.set(text, validator);
    return validator;
  };
}

function checkBody(where: string, validate: ValidateFunction, body: unknown): void {
  if (validate(body)) return;
  const mistakes = (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
  throw new Error(`${where}: ${mistakes.join("; ")}\n${JSON.stringify(body, null, 2)}`);
}

/**
 * Forbids undeclared members in objects with named members, unless the schema allows them, so that no member stays
 * undocumented.
 */
function closed<Value>(value: Value): Value;
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => closed(each));
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, closed(each)]),
  );
  const isOpen =
    copy.type === "object" && "properties" in copy && !("additionalProperties" in copy);
  return isOpen ? { ...copy, additionalProperties: false } : copy;
}
