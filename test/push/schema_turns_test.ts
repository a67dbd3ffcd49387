import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Call, Handler } from "../../src/http/endpoint.ts";
import { Problem } from "../../src/http/errors.ts";
import { createCreateFeed, createEditFeed } from "../../src/provider/save_feed.ts";
import { createPushFeed } from "../../src/push/push_route.ts";
import { WAITING_MAX } from "../../src/row_schema/limits.ts";
import { createRowSchemas, type RowSchemas } from "../../src/row_schema/row_schema.ts";
import type { Services } from "../../src/services.ts";
import { callerOf } from "../row_schema/caller.ts";
import { type PushScene, startPushScene } from "../support/push_scene.ts";

/** Longer than any test: the worker stands still until it is ended. */
const FOR_EVER_MS = 600_000;

let scene: PushScene;
let rowSchemas: RowSchemas;
let services: Services;
beforeAll(async () => {
  scene = await startPushScene();
});
afterAll(() => scene.gateway.stop());
beforeEach(() => {
  rowSchemas = createRowSchemas({
    workerUrl: new URL("../row_schema/stubborn_worker.ts", import.meta.url),
    compileMs: FOR_EVER_MS,
    validateMs: FOR_EVER_MS,
  });
  services = { ...scene.gateway.gateway.services, rowSchemas };
});
afterEach(() => rowSchemas.close());

interface Sent {
  readonly key: string;
  readonly body: unknown;
  readonly signal?: AbortSignal;
}

/** What the handler answers; a problem as its code. */
async function answerOf(handler: Handler, feedId: string, sent: Sent): Promise<unknown> {
  const { key, body, signal = new AbortController().signal } = sent;
  const request = new Request(scene.gateway.baseUrl, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    signal,
  });
  const call: Call = { request, requestId: "test", search: "", isHead: false, subject: {} };
  try {
    return await handler(call, feedId);
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}

const SCHEMA = { type: "object" };
const ROUTES = {
  push: { handlerOf: createPushFeed, body: [{ id: 1 }] },
  edit: { handlerOf: createEditFeed, body: { schema_definition: SCHEMA } },
  create: {
    handlerOf: createCreateFeed,
    body: { name: "A", endpoint_path: "never-made", schema_definition: SCHEMA },
  },
};

describe.each(Object.entries(ROUTES))(
  "%s, where a schema is checked",
  (route, { handlerOf, body }) => {
    /** A check of the same lane, whose worker never answers. */
    function ask(accountId: string): Promise<unknown> {
      const caller = callerOf(accountId);
      return route === "push"
        ? rowSchemas.validateRows({ key: "any", text: "hang" }, ["1"], caller)
        : rowSchemas.checkSchema("hang", caller);
    }

    /** One check is with the worker, and as many wait as the account may have. */
    async function askForAll(accountId: string): Promise<number> {
      ask(accountId);
      while (rowSchemas.waiting > 0) await Bun.sleep(5);
      const share = WAITING_MAX / 2;
      for (let asked = 0; asked < share; asked++) ask(accountId);
      expect(rowSchemas.waiting).toBe(share);
      return share;
    }

    test("an account that has its share of checks waiting is 503", async () => {
      const feedId = await scene.createFeed({ schema: SCHEMA });
      await askForAll(scene.accountId);
      const answer = await answerOf(handlerOf(services), feedId, { key: scene.key, body });
      expect(answer).toBe("UNAVAILABLE");
    });

    test("another account's gets in, and leaves when its client goes away", async () => {
      const feedId = await scene.createFeed({ schema: SCHEMA });
      const share = await askForAll("another account");
      const leaving = new AbortController();
      const sent = { key: scene.key, body, signal: leaving.signal };
      const answer = answerOf(handlerOf(services), feedId, sent);
      while (rowSchemas.waiting === share) await Bun.sleep(5);
      leaving.abort();
      expect(await answer).toBe("UNAVAILABLE");
      expect(rowSchemas.waiting).toBe(share);
    });
  },
);
