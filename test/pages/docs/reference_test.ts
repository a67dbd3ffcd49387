import { afterAll, beforeAll, expect, test } from "bun:test";
import { PROBLEM_CODES, PROBLEM_DOCS } from "../../../src/api/reference/problem_docs.ts";
import { anchorOf } from "../../../src/http/problem_details.ts";
import { present } from "../../../src/lib/assert.ts";
import {
  GROUP_NAMES,
  groupsOf,
  type ReferenceDocument,
  routesOf,
} from "../../../src/pages/docs/reference_document.ts";
import { problemOf, shareTestGateway, type TestGateway } from "../../support/gateway.ts";

const PATHS = [
  "/docs",
  "/docs/errors",
  "/docs/try",
  ...GROUP_NAMES.map((name) => `/docs/reference/${name}`),
  ...GROUP_NAMES.map((name) => `/docs/try/${name}`),
];

let gateway: TestGateway;
let document: ReferenceDocument;

beforeAll(async () => {
  gateway = await shareTestGateway();
  document = (await (await gateway.get("/docs/json")).json()) as ReferenceDocument;
});
afterAll(() => gateway.stop());

const textOf = async (path: string) => (await gateway.get(path)).text();

test("groupsOf: every operation is in one section, and none is empty", () => {
  const sections = groupsOf(document).flatMap((group) => group.sections);
  const ids = sections.flatMap(({ routes }) => routes.map(({ operationId }) => operationId));
  expect(ids.toSorted()).toEqual(
    routesOf(document)
      .map(({ operationId }) => operationId)
      .toSorted(),
  );
  expect(sections.filter(({ routes }) => routes.length === 0)).toEqual([]);
});

test("groupsOf: an operation of no section is a mistake of ours", () => {
  const [path = "", methods = {}] = Object.entries(document.paths)[0] ?? [];
  const untagged = { ...Object.values(methods)[0], tags: ["unheard"] } as never;
  expect(() => groupsOf({ ...document, paths: { [path]: { get: untagged } } })).toThrow();
});

test("the overview leads to every operation, which has a request, an answer and its errors", async () => {
  const overview = await textOf("/docs");
  for (const { name, sections } of groupsOf(document)) {
    const page = await textOf(`/docs/reference/${name}`);
    for (const route of sections.flatMap((section) => section.routes)) {
      const { operationId, method, path } = route;
      expect(overview).toContain(`href="./docs/reference/${name}#${operationId}"`);
      const [, own = ""] =
        new RegExp(
          `<section class="operation" id="${operationId}"(.*?)(?=<section class="operation" id=|</main>)`,
          "s",
        ).exec(page) ?? [];
      expect([operationId, own.includes(`>${method}</span> <code>${path}</code>`)]).toEqual([
        operationId,
        true,
      ]);
      expect(own).toContain("<code>curl ");
      const codes = Object.values(route.responses).flatMap(({ content = {} }) =>
        Object.keys(content["application/problem+json"]?.examples ?? {}),
      );
      for (const code of codes) {
        const link = `href="../errors#${anchorOf(code as (typeof PROBLEM_CODES)[number])}"`;
        expect([operationId, code, own.includes(link)]).toEqual([operationId, code, true]);
      }
    }
  }
});

test("an error's old anchor is a line that leads to its row, which says when and what to do", async () => {
  const overview = await textOf("/docs");
  const table = await textOf("/docs/errors");
  for (const code of PROBLEM_CODES) {
    const anchor = anchorOf(code);
    expect(overview).toMatch(
      new RegExp(`<li id="${anchor}" class="moved">.*?href="./docs/errors#${anchor}"`),
    );
    const [, row = ""] = new RegExp(`<tr id="${anchor}">(.*?)</tr>`, "s").exec(table) ?? [];
    const text = row
      .replace(/<[^>]+>/g, "")
      .replaceAll("&lt;", "<")
      .replaceAll("&amp;", "&");
    const { when, remedy } = PROBLEM_DOCS[code];
    expect(text).toContain(when.replaceAll("`", ""));
    expect(text).toContain(remedy.replaceAll("`", ""));
  }
  const problem = await problemOf(await gateway.get("/v1/catalog"));
  const { pathname, hash } = new URL(problem.body.type as string);
  expect([pathname, hash]).toEqual(["/docs", "#errors-key-required"]);
});

test("each operation can be tried on the page of its callers", async () => {
  const tried = await Promise.all(
    groupsOf(document).map(async ({ name, sections }) => {
      const html = await textOf(`/docs/try/${name}`);
      const ids = sections.flatMap(({ routes }) => routes.map(({ operationId }) => operationId));
      expect(html).toContain(`data-operations="${ids.join(" ")}"`);
      return ids;
    }),
  );
  expect(tried.flat().length).toBe(routesOf(document).length);
});

test("pages of the reference have no script or style of their own, and links that work", async () => {
  for (const path of PATHS) {
    const response = await gateway.get(path);
    expect([path, response.status]).toEqual([path, 200]);
    const policy = response.headers.get("content-security-policy") as string;
    expect(policy).toStartWith("default-src 'none'; script-src 'self'; style-src 'self'");
    expect([path, policy.includes("unsafe")]).toEqual([path, path.startsWith("/docs/try")]);
    const html = await response.text();
    expect([path, html.match(/<h1/g)?.length]).toEqual([path, 1]);
    expect(html).not.toMatch(/<style|\sstyle=|\son[a-z]+=|<script(?![^>]* src=)/);
    const addresses = new Set(
      [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, each]) => each),
    );
    for (const address of addresses) {
      const { origin, pathname, hash } = new URL(present(address), gateway.baseUrl + path);
      expect({ path, address, origin }).toEqual({ path, address, origin: gateway.baseUrl });
      const linked = await gateway.get(pathname);
      expect({ path, address, status: linked.status }).toEqual({ path, address, status: 200 });
      if (hash !== "") {
        expect({
          path,
          address,
          isThere: (await linked.text()).includes(` id="${hash.slice(1)}"`),
        }).toEqual({ path, address, isThere: true });
      } else {
        await linked.body?.cancel();
      }
    }
  }
}, 60_000);

test("an unknown page of the reference is 404 and names those that there are", async () => {
  const problem = await problemOf(await gateway.get("/docs/reference/none"));
  expect(problem).toMatchObject({ status: 404, code: "ROUTE_NOT_FOUND" });
  expect(problem.body.detail).toContain("agents, providers, operators");
});
