import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type App, createApp } from "../../src/app.ts";
import { Metrics } from "../../src/http/metrics.ts";
import { createRowSchemas, type RowSchemas } from "../../src/push/schema/row_schemas.ts";
import { JOBS_WAITING_MAX } from "../../src/push/schema/worker_queue.ts";
import { problemOf } from "../support/gateway.ts";
import { type PushScene, startPushScene } from "../support/push_scene.ts";
import { callerOf } from "./schema/caller.ts";

/** Longer than any test: the worker stands still until it is ended. */
const FOR_EVER_MS = 600_000;

let scene: PushScene;
let rowSchemas: RowSchemas;
let app: App;
beforeAll(async () => {
  scene = await startPushScene();
});
afterAll(() => scene.gateway.stop());
beforeEach(() => {
  rowSchemas = createRowSchemas({
    workerUrl: new URL("./schema/stubborn_worker.ts", import.meta.url),
    compileMs: FOR_EVER_MS,
    validateMs: FOR_EVER_MS,
  });
  const { services } = scene.gateway.gateway;
  const http = { ...services.http, metrics: new Metrics() };
  app = createApp({ ...services, http, rowSchemas }).app.listen({ port: 0 });
});
afterEach(async () => {
  rowSchemas.close();
  await app.stop(true);
});

const SCHEMA = { type: "object" };
const ROUTES = {
  push: { method: "POST", path: "{feed_id}/push", body: [{ id: 1 }] },
  edit: { method: "PATCH", path: "{feed_id}/edit", body: { schema_definition: SCHEMA } },
  create: {
    method: "POST",
    path: "create",
    body: { name: "A", endpoint_path: "never-made", schema_definition: SCHEMA },
  },
};

describe.each(Object.entries(ROUTES))(
  "%s, where a schema is checked",
  (route, { method, path, body }) => {
    function send(feedId: string, signal: AbortSignal | null = null): Promise<Response> {
      const target = `/v1/provider/feed/${path.replace("{feed_id}", feedId)}`;
      return fetch(new URL(target, app.server?.url), {
        method,
        body: JSON.stringify(body),
        headers: { authorization: `Bearer ${scene.key}`, "content-type": "application/json" },
        signal,
      });
    }

    /** A check of the same lane, whose worker never answers. */
    function ask(accountId: string): Promise<unknown> {
      const caller = callerOf(accountId);
      return route === "push"
        ? rowSchemas.validateRows("hang", ["1"], caller)
        : rowSchemas.checkSchema("hang", caller);
    }

    /** One check is with the worker, and as many wait as the account may have. */
    async function askForAll(accountId: string): Promise<number> {
      ask(accountId);
      while (rowSchemas.waiting > 0) await Bun.sleep(5);
      const share = JOBS_WAITING_MAX / 2;
      for (let asked = 0; asked < share; asked++) ask(accountId);
      expect(rowSchemas.waiting).toBe(share);
      return share;
    }

    test("a schema check is 503 for an account that has its share of checks waiting", async () => {
      const feedId = await scene.createFeed({ schema: SCHEMA });
      await askForAll(scene.accountId);
      expect(await problemOf(await send(feedId))).toMatchObject({ code: "UNAVAILABLE" });
    });

    test("a schema check of another account is let in, and leaves when its client goes away", async () => {
      const feedId = await scene.createFeed({ schema: SCHEMA });
      const share = await askForAll("another account");
      const leaving = new AbortController();
      const answer = send(feedId, leaving.signal);
      while (rowSchemas.waiting === share) await Bun.sleep(5);
      leaving.abort();
      await expect(answer).rejects.toThrow("aborted");
      while (rowSchemas.waiting > share) await Bun.sleep(5);
      expect(rowSchemas.waiting).toBe(share);
    });
  },
);
