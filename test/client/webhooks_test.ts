import { expect, test } from "bun:test";
import { ConnectionError, Feedgate } from "../../src/client/mod.ts";

const NEW = { url: "https://example.com/hook", types: ["feed.updated"] };

function clientThat(answers: readonly (() => Response)[]) {
  let calls = 0;
  const feedgate = new Feedgate({
    url: "https://gate.example.com",
    key: "fg_read_x",
    pauseMsMax: 1,
    fetch: async () => {
      calls += 1;
      return answers[Math.min(calls, answers.length) - 1]?.() ?? Response.error();
    },
  });
  return { feedgate, calls: () => calls };
}

const lost = () => {
  throw new TypeError("connection lost");
};

test("an address whose answer was lost is not named again, and its secret is not rotated again", async () => {
  const { feedgate, calls } = clientThat([lost]);
  expect(await feedgate.webhooks.create(NEW).catch((error) => error)).toBeInstanceOf(
    ConnectionError,
  );
  expect(await feedgate.webhooks.rotate("x").catch((error) => error)).toBeInstanceOf(
    ConnectionError,
  );
  expect(calls()).toBe(2);
});

test("over a limit, an address is named later", async () => {
  const problem = { type: "about:blank", code: "RATE_LIMITED", title: "", status: 429, detail: "" };
  const limited = () =>
    new Response(JSON.stringify(problem), {
      status: 429,
      headers: { "content-type": "application/problem+json", "retry-after": "0" },
    });
  const { feedgate, calls } = clientThat([
    limited,
    () => Response.json({ id: "x", secret: "whsec_x" }, { status: 201 }),
  ]);
  expect(await feedgate.webhooks.create(NEW)).toMatchObject({ secret: "whsec_x" });
  expect(calls()).toBe(2);
});

test("what may be repeated is, after a lost answer", async () => {
  const { feedgate, calls } = clientThat([lost, () => Response.json({ webhooks: [] })]);
  expect(await feedgate.webhooks.list()).toEqual([]);
  expect(calls()).toBe(2);
});
