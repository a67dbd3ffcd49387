import { describe, expect, test } from "bun:test";
import { parseProjection } from "../../src/feed/projection_parse.ts";
import { type Projecting, Projections } from "../../src/feed/projections.ts";
import type { Problem } from "../../src/http/errors.ts";
import { PROJECTIONS_REFUSED_MAX } from "../../src/limits.ts";

const LEVELS = 98;
const DEEP = `${'{"a":'.repeat(LEVELS)}1${"}".repeat(LEVELS)}`;
/** More than the nodes that may be looked at. */
const ENDLESS = "$..*..*..*..*";
const ALL = `[${Array.from({ length: 100 }, () => "*").join(",")}]`;
/** Too many nodes in the answer, which is found out soon. */
const TOO_MANY = {
  path: `$${ALL}${ALL}`,
  data: JSON.stringify(Array.from({ length: 30 }, () => [1])),
};
/** More than is done at once, and far less than that. */
const LONG = "$..*..*..none";

function projecting(given: Partial<Projecting> & { readonly path?: string }): Projecting {
  const { path = ENDLESS, ...rest } = given;
  const parsed = parseProjection(path);
  if (parsed.kind !== "parsed") throw new Error(`${path} is refused`);
  const of = { dataVersion: 1n, pageKey: path, accountId: "a" };
  return { projection: parsed.projection, data: DEEP, ...of, ...rest };
}

/** The code of a refusal, else "projected". */
async function outcomeOf(projections: Projections, asked: Projecting): Promise<string> {
  try {
    await projections.apply(asked);
    return "projected";
  } catch (error) {
    return (error as Problem).code;
  }
}

describe("Projections", () => {
  test("what looks at little is there at once", () => {
    const projections = new Projections();
    expect(projections.apply(projecting({ path: "$.a.a", data: '{"a":{"a":5}}' }))).toBe("5");
  });

  test("what is too large is tried once for its data, and again for other data", async () => {
    const projections = new Projections();
    expect(await outcomeOf(projections, projecting({}))).toBe("JSONPATH_INVALID");
    const startMs = performance.now();
    // No look at the data: it is none.
    const known = projecting({ data: "none" });
    expect(await outcomeOf(projections, known)).toBe("JSONPATH_INVALID");
    expect(performance.now() - startMs).toBeLessThan(5);
    expect(await outcomeOf(projections, projecting({ dataVersion: 2n, data: "{}" }))).toBe(
      "projected",
    );
  });

  test("an account has ten a minute, then 429, and no other account pays for it", async () => {
    const projections = new Projections();
    for (let count = 0; count < PROJECTIONS_REFUSED_MAX; count += 1) {
      const asked = projecting({ ...TOO_MANY, pageKey: String(count) });
      expect(await outcomeOf(projections, asked)).toBe("JSONPATH_INVALID");
    }
    expect(await outcomeOf(projections, projecting({ ...TOO_MANY, pageKey: "more" }))).toBe(
      "RATE_LIMITED",
    );
    const other = projecting({ ...TOO_MANY, pageKey: "other", accountId: "b" });
    expect(await outcomeOf(projections, other)).toBe("JSONPATH_INVALID");
  });

  test("of those that take long one runs at a time, accounts take turns, and others get as much time", async () => {
    const projections = new Projections();
    const order: string[] = [];
    const ask = async (accountId: string, pageKey: string) => {
      await projections.apply(projecting({ path: LONG, accountId, pageKey }));
      order.push(accountId);
    };
    const asked = ["1", "2", "3", "4"].map((pageKey) => ask("a", pageKey));
    asked.push(ask("b", "5"));
    let turns = 0;
    let isOver = false;
    const others = (async () => {
      while (!isOver) {
        await new Promise((resolve) => setImmediate(resolve));
        turns += 1;
      }
    })();
    await Promise.all(asked);
    isOver = true;
    await others;
    expect(order).toEqual(["a", "b", "a", "a", "a"]);
    // Not one after the other in one turn of the event loop.
    expect(turns).toBeGreaterThan(50);
  }, 30_000);
});
