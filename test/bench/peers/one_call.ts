/**
 * Bare `Bun.serve` and one SQL call per read, which does the whole job (`read_feed` in peers.sql): close to the best
 * possible with one statement per request.
 *
 * `one_call.ts SOCKET_DIR PORT DATABASE`. Prints its port.
 *
 * @module
 */
import postgres from "postgres";

const [host = "", port = "", database = ""] = process.argv.slice(2);
const CONNECTIONS = 16;
const POINTS = 1_000_000;
const sql = postgres({
  host,
  port: Number(port),
  user: "postgres",
  database,
  max: CONNECTIONS,
  prepare: true,
  fetch_types: false,
});

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  reusePort: false,
  async fetch(request) {
    const key = request.headers.get("x-api-key") ?? "";
    const feedId = request.url.slice(request.url.lastIndexOf("/") + 1);
    const hash = new Bun.CryptoHasher("sha256").update(key).digest();
    const usageId = Bun.randomUUIDv7();
    const [row] =
      await sql`select outcome, data from read_feed(${hash}, ${feedId}, ${usageId}, ${POINTS})`;
    switch (row?.outcome) {
      case "granted":
        return new Response(
          `{"data":${row.data},"_origin":{"usage_id":"${usageId}","feed_id":"${feedId}","credits_charged":1}}`,
          { headers: { "Content-Type": "application/json", "Cache-Control": "private, no-cache" } },
        );
      case "limited":
        return new Response(null, { status: 429 });
      case "unpaid":
        return new Response(null, { status: 402 });
      case "not_found":
        return new Response(null, { status: 404 });
      default:
        return new Response(null, { status: 403 });
    }
  },
});
console.log(server.port);
