/**
 * The peer of `bench push`: Fastify with one `jsonb_array_elements` insert per push, without any checks.
 *
 * Takes `SOCKET_DIR`; prints its port.
 */
import Fastify from "fastify";
import pg from "pg";

const pool = new pg.Pool({
  host: process.env.SOCKET_DIR,
  user: "postgres",
  database: "feedgate",
  max: 8,
});
await pool.query(
  "create table if not exists peer_rows (feed text, id text, payload jsonb, primary key (feed, id))",
);

const app = Fastify({ bodyLimit: 4_000_000 });
app.post("/push/:feed", async (request) => {
  const { rowCount } = await pool.query(
    `insert into peer_rows (feed, id, payload)
     select $1, row ->> 'id', row from jsonb_array_elements($2::jsonb) as row
     on conflict (feed, id) do update set payload = excluded.payload`,
    [request.params.feed, JSON.stringify(request.body.payload)],
  );
  return { rows: rowCount };
});
await app.listen({ port: 0, host: "127.0.0.1" });
console.log(app.server.address().port);
