import { describe, expect, test } from "bun:test";
import type { Problem } from "../../../src/http/problem_details.ts";
import { PROJECTIONS_REFUSED_MAX } from "../../../src/limits.ts";
import { parseProjection } from "../../../src/read/projection/projection_parse.ts";
import { type Projecting, Projections } from "../../../src/read/projection/turns.ts";

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
  return { projection: parsed.projection, data: DEEP, accountId: "a", ...rest };
}

/** The code of a refusal, else "projected". A busy machine is asked again. */
async function outcomeOf(projections: Projections, asked: Projecting): Promise<string> {
  try {
    await projections.apply(asked);
    return "projected";
  } catch (error) {
    const { code } = error as Problem;
    return code === "UNAVAILABLE" ? outcomeOf(projections, asked) : code;
  }
}

describe("Projections", () => {
  test("what looks at little is there at once", () => {
    const projections = new Projections();
    expect(projections.apply(projecting({ path: "$.a.a", data: '{"a":{"a":5}}' }))).toMatchObject({
      text: "5",
    });
  });

  test("an account has ten a minute, then 429, and no other account pays for it", async () => {
    const projections = new Projections();
    for (let count = 0; count < PROJECTIONS_REFUSED_MAX; count += 1) {
      const asked = count === 0 ? projecting({}) : projecting(TOO_MANY);
      expect(await outcomeOf(projections, asked)).toBe("JSONPATH_INVALID");
    }
    expect(await outcomeOf(projections, projecting(TOO_MANY))).toBe("RATE_LIMITED");
    const other = projecting({ ...TOO_MANY, accountId: "b" });
    expect(await outcomeOf(projections, other)).toBe("JSONPATH_INVALID");
  });

  test("of those that take long one runs at a time, accounts take turns, and others get as much time", async () => {
    const projections = new Projections();
    const order: string[] = [];
    const ask = async (accountId: string) => {
      await projections.apply(projecting({ path: LONG, accountId }));
      order.push(accountId);
    };
    const asked = ["a", "a", "a", "a", "b"].map(ask);
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
  });
});
