import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { basePlugins } from "../../../src/api/base_plugins.ts";
import { parameters, queryInteger } from "../../../src/api/input/parameters.ts";
import { deprecated } from "../../../src/api/reference/deprecated.ts";
import { described, documented } from "../../../src/api/reference/described.ts";
import { openApi31 } from "../../../src/api/reference/openapi.ts";
import { readConfig } from "../../../src/config.ts";
import { Problem } from "../../../src/http/problem_details.ts";
import { createHttpContext } from "../../support/http_context.ts";

const BASE_URL = "https://feeds.example.com/base";
const SINCE = new Date("2027-01-01T00:00:00Z");
const SUNSET = new Date("2027-07-01T00:00:00Z");
const LINK = `<${BASE_URL}/docs/guides/upgrade#deprecation>; rel="deprecation"; type="text/html"`;

function route(operationId: string) {
  return described({
    access: "public",
    operationId,
    tag: "discovery",
    summary: "A route of this test",
    description: "It shows a word.",
    answers: {
      200: documented(Type.Object({ word: Type.String({ description: "A word." }) }), {
        description: "The word.",
        examples: { "One word": { word: "hello" } },
      }),
    },
    problems: ["FEED_NOT_FOUND"],
  });
}

const DEPRECATION = {
  since: SINCE,
  sunset: SUNSET,
  replacement: "Use GET /new",
  baseUrl: BASE_URL,
};

const QUERY = parameters({ limit: Type.Optional(queryInteger({ minimum: 1 })) });

function answer({ query }: { query: { limit?: number | undefined } }): Response {
  if (query.limit === 404) throw new Problem("FEED_NOT_FOUND", { detail: "There is none." });
  return Response.json({ word: "hello" }, { headers: { Link: '</old?cursor=2>; rel="next"' } });
}

/** A made-up route, and the one that replaces it. */
const app = new Elysia({ normalize: false })
  .use(basePlugins(createHttpContext([])))
  .get("/new", answer, { query: QUERY, ...route("new") })
  .get("/old", answer, { query: QUERY, ...deprecated(route("old"), DEPRECATION) });

const get = (path: string, method = "GET") =>
  app.handle(new Request(`http://localhost${path}`, { method }));

test.each([
  ["its answer", "/old", 200],
  ["an error of the route", "/old?limit=404", 404],
  ["a refused parameter", "/old?limit=0", 400],
])("a deprecated route says so in %s, and works as before", async (_, path, status) => {
  const response = await get(path);
  expect(response.status).toBe(status);
  expect(response.headers.get("Deprecation")).toBe("@1798761600");
  expect(response.headers.get("Sunset")).toBe("Thu, 01 Jul 2027 00:00:00 GMT");
  expect(response.headers.get("Link")).toContain(LINK);
  expect(response.headers.get("X-Request-Id")).toBeString();
  const other = await get(path.replace("old", "new"));
  expect(other.status).toBe(status);
  for (const name of ["Deprecation", "Sunset"]) expect(other.headers.get(name)).toBeNull();
  const [own, its] = (await Promise.all([response.json(), other.json()])) as [object, object];
  expect({ ...own, request_id: "" }).toEqual({ ...its, request_id: "" });
});

test("the link to the next page stays beside the one to the policy", async () => {
  const link = (await get("/old")).headers.get("Link");
  expect(link).toBe(`</old?cursor=2>; rel="next", ${LINK}`);
});

test("the OpenAPI document marks it, names its replacement, and has its headers", () => {
  const operation = ({ detail, response }: ReturnType<typeof route>) => ({
    get: JSON.parse(JSON.stringify({ ...detail, responses: response })),
  });
  const given = {
    "/new": operation(route("new")),
    "/old": operation(deprecated(route("old"), DEPRECATION)),
  };
  const context = { baseUrl: BASE_URL, limits: readConfig({}).limits };
  const { paths } = JSON.parse(JSON.stringify(openApi31({ paths: given }, context)));
  expect(paths["/old"].get).toMatchObject({
    deprecated: true,
    description: "Deprecated; will be removed after 2027-07-01. Use GET /new. It shows a word.",
  });
  expect(paths["/new"].get.deprecated).toBeUndefined();
  for (const status of ["200", "404"]) {
    const names = Object.keys(paths["/old"].get.responses[status].headers);
    expect(names).toContain("Deprecation");
    expect(names).toContain("Sunset");
    expect(Object.keys(paths["/new"].get.responses[status].headers)).not.toContain("Sunset");
  }
});

test("a removal without notice is refused when the route is made", () => {
  const soon = { ...DEPRECATION, sunset: new Date("2027-02-01T00:00:00Z") };
  expect(() => deprecated(route("old"), soon)).toThrow("clients have time to change");
});
