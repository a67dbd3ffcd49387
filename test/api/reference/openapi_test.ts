import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { version } from "../../../package.json";
import { createApp } from "../../../src/app.ts";
import { Metrics } from "../../../src/http/metrics.ts";
import { createValidators, loadContract, type OpenApi } from "../../support/contract.ts";
import { shareTestGateway, type TestGateway } from "../../support/gateway.ts";

let gateway: TestGateway;
let document: OpenApi;

beforeAll(async () => {
  gateway = await shareTestGateway();
  document = (await loadContract(gateway.baseUrl)).document;
});
afterAll(() => gateway.stop());

function operations() {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}

describe("OpenAPI document", () => {
  test("describing the routes leaves the serving app as it was", async () => {
    const provider = await gateway.createAccount();
    const key = await gateway.createKey(provider, "write");
    const create = await gateway.send("POST", "/v1/provider/feed/create", key, {
      name: "Behind the document",
      endpoint_path: "behind-the-document",
    });
    // Routes with a body need the server that they are served by.
    expect(create.status).toBe(201);
  });

  test("the OpenAPI document has the interface's version, and the program's, which is the package's everywhere", async () => {
    const read = async (path: string) => (await gateway.get(path)).json();
    expect(await read("/openapi.json")).toMatchObject({
      info: { version: "1.1.0", "x-feedgate-version": version },
    });
    expect(await read("/.well-known/mcp/server-card.json")).toMatchObject({
      serverInfo: { version },
    });
  });

  test("whatever a schema says may be null is valid as null", () => {
    const refusing: string[] = [];
    let nullables = 0;
    const visit = (schema: unknown, path: string): void => {
      if (typeof schema !== "object" || schema === null) return;
      if ("type" in schema && Array.isArray(schema.type) && schema.type.includes("null")) {
        nullables += 1;
        const isRefused =
          "const" in schema ||
          ("enum" in schema && Array.isArray(schema.enum) && !schema.enum.includes(null));
        if (isRefused) refusing.push(path);
      }
      for (const [name, member] of Object.entries(schema)) visit(member, `${path}/${name}`);
    };
    visit(document, "");
    expect(nullables).toBeGreaterThan(50);
    expect(refusing).toEqual([]);
  });

  test("every route is in the OpenAPI document, but for those of documentation, discovery and MCP", () => {
    const { services } = gateway.gateway;
    const { routes } = createApp({
      ...services,
      http: { ...services.http, metrics: new Metrics() },
    }).app;
    const expected = routes
      .filter(({ path, hooks }) => !path.startsWith("/api/") && hooks.detail?.hide !== true)
      .map(({ method, path }) => `${method} ${path.replace(/:([^/]+)/g, "{$1}")}`);
    const described = operations().map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect(described.sort()).toEqual(expected.sort());
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("the OpenAPI document has only the /v1 form of each path, and mentions the alias once", () => {
    const text = JSON.stringify(document);
    expect(Object.keys(document.paths).filter((path) => path.startsWith("/api/"))).toEqual([]);
    expect(text.match(/\/api\/v1/g)).toHaveLength(1);
  });

  test("the OpenAPI document declares every parameter of a path", () => {
    for (const { path, operation } of operations()) {
      const inPath = operation.parameters.filter((each) => each.in === "path");
      const named = [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1] as string);
      expect({ path, names: inPath.map(({ name }) => name) }).toEqual({ path, names: named });
    }
  });

  test("the OpenAPI document requires no query parameter but a search's q, the ids of rows to remove, and the account that an operator asks about", () => {
    const required = operations().flatMap(({ path, operation }) =>
      operation.parameters
        .filter((each) => each.in === "query" && each.required)
        .map(({ name }) => `${path} ${name}`),
    );
    expect(required).toEqual([
      "/v1/search q",
      "/v1/provider/feed/{feed_id}/rows ids",
      "/v1/operator/keys account_id",
      "/v1/operator/usage account_id",
    ]);
  });

  test("every answer with a body has a schema and an example in the OpenAPI document; errors are problems", () => {
    for (const { operation } of operations()) {
      for (const [status, response] of Object.entries(operation.responses)) {
        const where = `${operation.operationId} ${status}`;
        const media = Object.entries(response.content ?? {});
        if (Number(status) >= 400) {
          expect({ where, types: media.map(([type]) => type) }).toEqual({
            where,
            types: ["application/problem+json"],
          });
        }
        expect(Object.keys(response.headers ?? {})).toContain("X-Request-Id");
        for (const [type, { schema, ...rest }] of media) {
          expect(schema).toBeDefined();
          if (type.includes("json"))
            expect({ where, rest: Object.keys(rest) }).not.toEqual({ where, rest: [] });
        }
      }
    }
  });

  test("every parameter, property and component of the OpenAPI document says what it is", () => {
    const silent: string[] = [];
    for (const { operation } of operations()) {
      for (const { name, description } of operation.parameters) {
        if (description === undefined) silent.push(`${operation.operationId} ${name}`);
      }
    }
    const { schemas } = document.components;
    for (const [name, schema] of Object.entries(schemas)) {
      if (schema.description === undefined) silent.push(name);
      silent.push(...silentMembers(schema).map((path) => `${name}${path}`));
    }
    expect(silent).toEqual([]);
  });

  test("the OpenAPI document's examples meet their schemas", () => {
    const validatorOf = createValidators(
      { components: document.components },
      { validateFormats: false },
    );
    let count = 0;
    for (const { path, method, operation } of operations()) {
      const answers = Object.entries(operation.responses).map(
        ([status, each]) => [["responses", status], each] as const,
      );
      for (const [where, { content = {} }] of [
        [["requestBody"], operation.requestBody ?? {}] as const,
        ...answers,
      ]) {
        for (const [type, { schema, example, examples = {} }] of Object.entries(content)) {
          const pointer = [path, method, ...where, type];
          const validate = validatorOf(schema);
          const named =
            example === undefined ? examples : { ...examples, example: { value: example } };
          for (const [name, { value }] of Object.entries(named)) {
            const isValid = validate(value);
            expect({ pointer, name, errors: isValid ? null : validate.errors }).toEqual({
              pointer,
              name,
              errors: null,
            });
            count += 1;
          }
        }
      }
    }
    expect(count).toBeGreaterThan(100);
  });

  test("integers of the OpenAPI document are integers, not unions with their text", () => {
    expect(JSON.stringify(document)).not.toMatch(/"format":"(integer|numeric|ObjectString)"/);
  });
});

/** Pointers to properties without a description; one that is a component has it there. */
function silentMembers(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([keyword, value]) =>
    keyword === "properties"
      ? Object.entries(value as Record<string, Record<string, unknown>>).flatMap(([name, each]) => [
          ...(each.description === undefined && each.$ref === undefined ? [`/${name}`] : []),
          ...silentMembers(each).map((path) => `/${name}${path}`),
        ])
      : silentMembers(value),
  );
}
