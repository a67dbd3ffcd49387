/**
 * The minimal cost of a read in this design: an Elysia route with checked parameters, the gateway's own admission, and
 * one prepared page with the headers of a real response. It has no page cache, conditional reads, request ids, metrics,
 * bounds, or problem documents.
 *
 * `skeleton.ts ANSWER_FILE DATABASE_URL`: the response in the format of `bare.ts`. Prints its port.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { hashKey } from "../../../src/accounts/key_format.ts";
import { Admission } from "../../../src/admission/admission.ts";
import { stateHeaders } from "../../../src/api/callers/rate_headers.ts";
import { Feeds, seekerOf } from "../../../src/feeds/find.ts";
import { connect } from "../../../src/postgres/client/connect.ts";
import { createDatabase } from "../../../src/postgres/client/database.ts";
import { originText } from "../../../src/read/pipeline/read_receipt.ts";

const [answerFile = "", url = ""] = process.argv.slice(2);
const { headers, body }: { headers: Record<string, string>; body: string } =
  await Bun.file(answerFile).json();
const ORIGIN = '"_origin":';
const page = body.slice(0, body.lastIndexOf(ORIGIN) + ORIGIN.length);
const shared = new Headers(headers);
const limits = { free: 1_000_000_000, paid: 1_000_000_000 };
const database = createDatabase(connect({ url }, {}));
const admission = new Admission({ database });
const feeds = new Feeds(database, { isActiveOnly: true });

async function read(key: string, feedId: string): Promise<Response> {
  const mark = Bun.SHA256.hash(key, "base64");
  const caller = admission.remembered(mark) ?? (await admission.identify(mark, hashKey(key)));
  const feed = await feeds.find(seekerOf(""), feedId);
  if (caller === undefined || caller.kind === "suspended" || feed === undefined) {
    return new Response(null, { status: 404 });
  }
  const reserved = admission.reserve(caller, { operation: "data", feed, limits });
  if (reserved.kind !== "reserved") return new Response(null, { status: 403 });
  const logged = await admission.log(reserved).finally(() => admission.release(reserved));
  if (logged.kind !== "granted") return new Response(null, { status: 503 });
  const text = `${page}${originText(logged.receipt, feedId)}}`;
  const response = new Response(text, { headers: shared });
  const own = stateHeaders(logged.window, Date.now());
  for (const name in own) response.headers.set(name, own[name] ?? "");
  return response;
}

const app = new Elysia({ handler: { standardHostname: false } })
  .derive({ as: "scoped" }, ({ request }) => ({ key: request.headers.get("x-api-key") ?? "" }))
  .get("/v1/feed/:id", ({ key, params }) => read(key, params.id), {
    params: Type.Object({ id: Type.String({ minLength: 1, maxLength: 100 }) }),
    query: Type.Object({ limit: Type.Optional(Type.String()) }),
  })
  .listen({ port: 0, hostname: "127.0.0.1", reusePort: false });
console.log(app.server?.port);
