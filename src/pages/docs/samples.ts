/**
 * A request and its response for each operation, built from the examples in the OpenAPI document. Everything that a
 * route needs comes from there, so nothing is written twice, and `test/pages/docs/samples_test.ts` sends every request
 * to a gateway.
 *
 * @module
 */
import { assert, present } from "../../lib/assert.ts";
import type { Contents, Parameter, Route } from "./reference_document.ts";

export interface SampleRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: SampleBody | undefined;
}

export interface SampleBody {
  readonly type: string;
  /** What it shows. Undefined if it is the only one of its type. */
  readonly title: string | undefined;
  readonly text: string;
}

export interface SampleAnswer {
  readonly status: number;
  /** Undefined if the answer has no body. */
  readonly body: SampleBody | undefined;
}

/** Where the examples of keys stand in for a caller's own. */
const KEY_VARIABLES = {
  read: "$FEEDGATE_READ_KEY",
  write: "$FEEDGATE_WRITE_KEY",
  admin: "$FEEDGATE_ADMIN_KEY",
} as const;

const SUCCESSES = [201, 200, 204] as const;

/** The permission that a caller's key needs; undefined if the operation needs none. */
export function keyOf({ security, tags }: Route): keyof typeof KEY_VARIABLES | undefined {
  if (security.length === 0) return undefined;
  if (security.some((scheme) => "apiKey" in scheme)) return "read";
  return tags[0] === "operator" ? "admin" : "write";
}

/** The first request that the document's examples make. Parameters that have an example are in it. */
export function sampleRequest(route: Route): SampleRequest {
  const { method, parameters, requestBody } = route;
  const shown = parameters.filter(hasExample);
  for (const { name, required } of parameters) {
    assert(!required || shown.some((each) => each.name === name), `${name} has an example`);
  }
  const path = shown
    .filter((parameter) => parameter.in === "path")
    .reduce((made, { name, schema }) => made.replace(`{${name}}`, encoded(schema)), route.path);
  const query = shown
    .filter((parameter) => parameter.in === "query")
    .map(({ name, schema }) => `${name}=${encoded(schema)}`)
    .join("&");
  const [body] = requestBody === undefined ? [] : bodiesOf(requestBody.content);
  const key = keyOf(route);
  return {
    method,
    path: query === "" ? path : `${path}?${query}`,
    headers: {
      ...(key === "read" && { "x-api-key": KEY_VARIABLES.read }),
      ...(key !== undefined && key !== "read" && { Authorization: `Bearer ${KEY_VARIABLES[key]}` }),
      ...(body !== undefined && { "Content-Type": body.type }),
    },
    body,
  };
}

/** The answer to a first call: 201 before 200, which answers a repeat where there are both. */
export function sampleAnswer({ responses }: Route): SampleAnswer {
  const status = SUCCESSES.find((each) => responses[each] !== undefined);
  assert(status !== undefined, "an operation succeeds somehow");
  const { content = {} } = present(responses[status]);
  return { status, body: bodiesOf(content)[0] };
}

/** The examples of a body, by media type and in the document's order. */
export function bodiesOf(contents: Contents): readonly SampleBody[] {
  return Object.entries(contents).flatMap(([type, { example, examples }]): SampleBody[] => {
    if (examples !== undefined) {
      const all = Object.values(examples);
      return all.map(({ summary, value }) => ({
        type,
        title: all.length > 1 ? summary : undefined,
        text: textOf(value),
      }));
    }
    return example === undefined ? [] : [{ type, title: undefined, text: textOf(example) }];
  });
}

/** The request as a command for a shell. */
export function curlText({ method, path, headers, body }: SampleRequest, baseUrl: string): string {
  const verb = method === "GET" ? "" : `-X ${method} `;
  const lines = [`curl ${verb}"${baseUrl}${path}"`];
  for (const [name, value] of Object.entries(headers)) lines.push(`-H "${name}: ${value}"`);
  if (body !== undefined) lines.push(`--data-binary '${body.text.replaceAll("'", `'\\''`)}'`);
  return lines.join(" \\\n  ");
}

function hasExample({ schema, in: place }: Parameter): boolean {
  return schema.examples !== undefined && place !== "header";
}

function encoded({ examples }: Parameter["schema"]): string {
  return encodeURIComponent(String(present(examples)[0]));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
