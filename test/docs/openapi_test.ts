import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { OPERATIONS } from "../../src/docs/openapi.ts";
import { loadContract, type OpenApi } from "../support/contract.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";

let gateway: TestGateway;
let document: OpenApi;

beforeAll(async () => {
  gateway = await startTestGateway();
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

  test("every route is documented, and every documented operation has a route", () => {
    const described = operations().map(({ operation }) => operation.operationId);
    expect(described.sort()).toEqual(OPERATIONS.map(({ operationId }) => operationId).sort());
  });

  test("only the /v1 form is in it, and the alias is mentioned once", () => {
    const text = JSON.stringify(document);
    expect(Object.keys(document.paths).filter((path) => path.startsWith("/api/"))).toEqual([]);
    expect(text.match(/\/api\/v1/g)).toHaveLength(1);
  });

  test("every parameter of a path is declared", () => {
    for (const { path, operation } of operations()) {
      const inPath = operation.parameters.filter((each) => each.in === "path");
      const named = [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1] as string);
      expect({ path, names: inPath.map(({ name }) => name) }).toEqual({ path, names: named });
    }
  });

  test("what a search looks for is required, all else of a query is not", () => {
    const required = operations().flatMap(({ path, operation }) =>
      operation.parameters
        .filter((each) => each.in === "query" && each.required)
        .map(({ name }) => `${path} ${name}`),
    );
    expect(required).toEqual(["/v1/search q"]);
  });

  test("every answer with a body has a schema and an example; errors are problems", () => {
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

  test("integers are integers, not unions with their text", () => {
    expect(JSON.stringify(document)).not.toMatch(/"format":"(integer|numeric|ObjectString)"/);
  });
});
