import { describe, expect, test } from "bun:test";
import type { Decision, Grant } from "../../src/admission/admission.ts";
import { type AnswerContext, loggedAnswer } from "../../src/admission/logged_answer.ts";

const WINDOW = { limit: 10, remaining: 0, resetSeconds: 1 };
const GRANT: Grant = {
  kind: "granted",
  usageId: "01a1fd2c-990c-7b4f-8001-49a8ad762889",
  timestamp: "2026-11-21T08:15:20.844707Z",
  chargeNanos: 0n,
  window: WINDOW,
  dataVersion: null,
  isReplay: false,
  batchToken: "0123456789ab",
};

/**
 * Answers one call, and says what was begun and ended, in that order. Unless told otherwise, it is granted
 * once the body was read, so that a body that is read after the admission would never be.
 */
async function orderOf(given: {
  decision?: Decision;
  waiting?: number;
  tag?: string;
  wasRefused?: boolean;
}): Promise<string[]> {
  const { waiting = 0, tag } = given;
  const order: string[] = [];
  const wasRead = Promise.withResolvers<void>();
  const granted = async () => {
    await wasRead.promise;
    order.push("admitted");
    return GRANT;
  };
  const admission: AnswerContext["admission"] = {
    admit() {
      order.push("admit");
      return given.decision ?? granted();
    },
    wasRefused: () => given.wasRefused ?? false,
    async refund() {},
  };
  const request = new Request("http://localhost/v1/catalog", {
    ...(tag !== undefined && { headers: { "If-None-Match": tag } }),
  });
  await loggedAnswer(
    {
      admission,
      database: { row: async () => undefined } as never,
      reader: { waiting },
      keys: { forget() {} },
      http: { metrics: { readAnswered() {} } as never },
      billingUrl: () => "http://localhost",
    },
    {
      call: { request, requestId: "r", search: "", isHead: false, subject: {} },
      principal: {
        keyId: crypto.randomUUID(),
        accountId: crypto.randomUUID(),
        permission: "read",
        keyHash: new Uint8Array(32),
      },
      operation: "catalog",
      limit: 10,
      async read() {
        order.push("read");
        await Bun.sleep(1);
        order.push("was read");
        wasRead.resolve();
        return { members: '"feeds":[]', tag: 'W/"1"' };
      },
    },
  );
  return order;
}

describe("loggedAnswer", () => {
  test("reads the body beside the admission", async () => {
    expect(await orderOf({})).toEqual(["admit", "read", "was read", "admitted"]);
  });

  test("reads it first where a tag was sent, or where other reads wait", async () => {
    const first = ["read", "was read", "admit", "admitted"];
    expect(await orderOf({ tag: 'W/"2"' })).toEqual(first);
    expect(await orderOf({ waiting: 1 })).toEqual(first);
  });

  test("reads nothing where memory refuses the call", async () => {
    const limited: Decision = { kind: "limited", window: WINDOW, retryAfterMs: 1_000 };
    expect(await orderOf({ decision: limited })).toEqual(["admit"]);
  });

  test("reads nothing before a caller that was refused a moment ago is admitted", async () => {
    const limited: Decision = { kind: "limited", window: WINDOW, retryAfterMs: 1_000 };
    const [granted, refused] = [GRANT, limited].map((decision) => ({ decision, wasRefused: true }));
    expect(await orderOf({ ...granted, waiting: 1 })).toEqual(["admit", "read", "was read"]);
    expect(await orderOf({ ...refused, tag: 'W/"2"' })).toEqual(["admit"]);
    // Counted as what it asks, then as what it gets.
    const changed = ["admit", "read", "was read", "admit"];
    expect(await orderOf({ ...granted, tag: 'W/"2"' })).toEqual(changed);
    expect(await orderOf({ ...granted, tag: 'W/"1"' })).toEqual(["admit", "read", "was read"]);
  });
});
