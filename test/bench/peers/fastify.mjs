/**
 * A careful handwritten Node implementation: Fastify, `pg`, `rate-limiter-flexible` on PostgreSQL, and one transaction
 * that checks the key, debits, logs, and reads. Statements are prepared, and the page's rows are not parsed.
 *
 * `fastify.mjs SOCKET_DIR PORT DATABASE`, run by node if it is installed. Prints its port.
 *
 * @module
 */
import { createHash, randomUUID } from "node:crypto";
import Fastify from "fastify";
import pg from "pg";
import { RateLimiterPostgres } from "rate-limiter-flexible";

const [host, port, database] = process.argv.slice(2);
const CONNECTIONS = 16;
const pool = new pg.Pool({
  host,
  port: Number(port),
  user: "postgres",
  database,
  max: CONNECTIONS,
});
const limiter = await new Promise((resolve, reject) => {
  const made = new RateLimiterPostgres(
    { storeClient: pool, points: 1_000_000, duration: 60, tableName: "peer_limits" },
    (error) => (error ? reject(error) : resolve(made)),
  );
});

const FIND_KEY = {
  name: "find_key",
  text: "select account_id from api_keys where key_hash = $1 and revoked_at is null",
};
const FIND_FEED = {
  name: "find_feed",
  text: "select price_nanos from feeds where feed_id = $1 and status = 'active'",
};
const DEBIT = {
  name: "debit",
  text: "update accounts set balance_nanos = balance_nanos - $2 where account_id = $1 and balance_nanos >= $2",
};
const LOG = {
  name: "log",
  text: "insert into usage_events (usage_id, account_id, feed_id, charge_nanos, happened_at) values ($1, $2, $3, $4, now())",
};
const READ = {
  name: "read",
  text: "select payload::text from feed_rows where feed_id = $1 order by position limit 20",
};

const app = Fastify();

app.get("/v1/feed/:id", async (request, reply) => {
  const key = request.headers["x-api-key"] ?? "";
  const feedId = request.params.id;
  const hash = createHash("sha256").update(key).digest();
  try {
    await limiter.consume(`${hash.toString("base64")}:${feedId}`);
  } catch (refusal) {
    if (refusal instanceof Error) throw refusal;
    return reply.code(429).send({ error: "limited" });
  }
  const client = await pool.connect();
  try {
    await client.query("begin");
    const found = await client.query({ ...FIND_KEY, values: [hash] });
    const accountId = found.rows[0]?.account_id;
    if (accountId === undefined) return await refuse(client, reply, 403);
    const feed = await client.query({ ...FIND_FEED, values: [feedId] });
    const price = feed.rows[0]?.price_nanos;
    if (price === undefined) return await refuse(client, reply, 404);
    const debit = await client.query({ ...DEBIT, values: [accountId, price] });
    if (debit.rowCount === 0) return await refuse(client, reply, 402);
    const usageId = randomUUID();
    await client.query({ ...LOG, values: [usageId, accountId, feedId, price] });
    const page = await client.query({ ...READ, values: [feedId] });
    await client.query("commit");
    const data = page.rows.map((row) => row.payload).join(",");
    return reply
      .header("Content-Type", "application/json")
      .header("Cache-Control", "private, no-cache")
      .send(
        `{"data":[${data}],"_origin":{"usage_id":"${usageId}","feed_id":"${feedId}","credits_charged":1}}`,
      );
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  } finally {
    client.release();
  }
});

async function refuse(client, reply, status) {
  await client.query("rollback");
  return reply.code(status).send({ error: "refused" });
}

await app.listen({ port: 0, host: "127.0.0.1" });
console.log(app.server.address().port);
