import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { basePlugins } from "../../../src/api/base_plugins.ts";
import {
  exactQuery,
  parameters,
  queryFlag,
  queryInteger,
} from "../../../src/api/input/parameters.ts";
import { problemOf } from "../../../src/api/problems/problems.ts";
import { callPlugin } from "../../../src/http/call.ts";
import { Problem } from "../../../src/http/problem_details.ts";
import { oneOf, text } from "../../../src/lib/typebox.ts";
import { DatabaseUnavailableError } from "../../../src/postgres/client/database.ts";
import { createHttpContext } from "../../support/http_context.ts";

function createApp(lines: string[] = []) {
  return new Elysia({ normalize: false })
    .use(basePlugins(createHttpContext(lines)))
    .use(callPlugin())
    .get("/broken", () => {
      throw Object.assign(new Error("the secret of the house"), { code: "NOT_FOUND", status: 404 });
    })
    .get("/no-error", () => {
      throw "a text";
    })
    .get("/refused", ({ call }) => {
      call.isKeyed = true;
      throw new Problem("UNAVAILABLE", { detail: "Too many.", headers: { "Retry-After": "1" } });
    })
    .use(exactQuery())
    .get("/typed", ({ query }) => Response.json(query), {
      query: parameters({
        limit: Type.Optional(queryInteger({ minimum: 1 })),
        is_dry: Type.Optional(queryFlag({})),
        kind: Type.Optional(oneOf(["zip", "tar"])),
        word: Type.Optional(text({ maxLength: 3 })),
      }),
    });
}

async function get(path: string, app: Pick<Elysia, "handle"> = createApp()) {
  const answer = await app.handle(new Request(`http://localhost${path}`));
  return { answer, body: JSON.parse(await answer.text()) };
}

describe("problems", () => {
  test("what a route throws is a logged 500, whatever its code and status say", async () => {
    const lines: string[] = [];
    const { answer, body } = await get("/broken", createApp(lines));
    expect(answer.status).toBe(500);
    expect(body).toMatchObject({ code: "INTERNAL" });
    expect(answer.headers.get("x-request-id")).toBe(body.request_id);
    expect(JSON.stringify(body)).not.toContain("secret");
    expect(lines.join("\n")).toContain("the secret of the house");
    expect((await get("/no-error", createApp(lines))).answer.status).toBe(500);
    expect(lines.join("\n")).toContain("a text");
  });

  test("refusals of keyed routes take turns, and Retry-After says twice how long the line is", async () => {
    const app = createApp();
    const startMs = performance.now();
    const refused = await Promise.all(
      Array.from({ length: 9 }, async () => {
        const { answer, body } = await get("/refused", app);
        const seconds = answer.headers.get("retry-after");
        return {
          seconds,
          retry_after_ms: body.retry_after_ms,
          ms: performance.now() - startMs,
        };
      }),
    );
    expect(refused[0]).toMatchObject({ seconds: "1" });
    expect(refused[0]?.ms).toBeLessThan(refused[1]?.ms as number);
    // Seven are in line before it, ten a second.
    expect(refused[8]).toMatchObject({ seconds: "2", retry_after_ms: 2_000 });
    expect(refused[8]?.ms).toBeGreaterThan(650);
  });
});

describe("parameters by their types", () => {
  test("what passes has the type that it says", async () => {
    const { body } = await get("/typed?limit=0012&is_dry=false&kind=zip&word=%F0%9F%98%80%20+");
    expect(body).toEqual({ limit: 12, is_dry: false, kind: "zip", word: "😀  " });
    expect((await get("/typed")).body).toEqual({});
    expect((await get("/typed?&")).body).toEqual({});
    expect((await get("/typed?limit=999999999999999")).body).toEqual({
      limit: 999_999_999_999_999,
    });
  });

  test("what does not is a 400 that says which, what was given and what is allowed", async () => {
    const whole = "must be an integer of at least 1 and at most 15 digits, got";
    for (const [query, detail] of [
      ["limit=0", `limit ${whole} "0".`],
      ["limit=1e3", `limit ${whole} "1e3".`],
      ["limit=0x10", `limit ${whole} "0x10".`],
      ["limit=+5", `limit ${whole} " 5".`],
      ["limit=", `limit ${whole} "".`],
      ["limit", `limit ${whole} "".`],
      ["limit=1000000000000000", `limit ${whole} "1000000000000000".`],
      ["limit=1&limit=2", "limit was sent twice. Send it once."],
      ["is_dry=1", 'is_dry must be true or false, got "1".'],
      ["kind=rar", 'kind must be one of zip, tar, got "rar".'],
      ["word=abcd", "word must be a string of at most 3 characters, got 4 characters."],
      ["limt=1", 'There is no parameter "limt" here. Did you mean "limit"?'],
      [
        "colour=red",
        'There is no parameter "colour" here. Leave it out or use limit, is_dry, kind, word.',
      ],
      ["__proto__=1", /^There is no parameter "__proto__" here\./],
      ["a~1b/c=1", /^There is no parameter "a~1b\/c" here\./],
      ["limit=%FF", /is not percent-encoded UTF-8/],
    ] as const) {
      const { answer, body } = await get(`/typed?${query}`);
      expect([query, answer.status, body.code]).toEqual([query, 400, "INVALID_PARAMETER"]);
      // A query that can't be decoded has no parameters.
      const [name = ""] = query.split("=");
      const parameter = query.includes("%FF") ? undefined : name;
      expect([query, body.parameter]).toEqual([query, parameter]);
      if (typeof detail === "string") expect(body.detail).toBe(detail);
      else expect(body.detail).toMatch(detail);
    }
  });
});

describe("problemOf", () => {
  test("a full disk is named, and anything else that the database lacks is one message", () => {
    const of = (code: string) =>
      problemOf(
        new DatabaseUnavailableError("the database can't be reached", {
          cause: Object.assign(new Error("could not extend file"), { code }),
        }),
      );
    expect(of("53100").detailIn()).toBe(
      "The gateway's database has run out of disk space, so nothing can be stored. Its operator must free some space.",
    );
    expect(of("57P01").detailIn()).toContain("can't be reached");
    expect([of("53100"), of("57P01")].map(({ status }) => status)).toEqual([503, 503]);
  });
});
