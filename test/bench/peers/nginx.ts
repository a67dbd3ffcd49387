/**
 * nginx with the bytes of one real response, and a limit per key:
 *
 * - `limit`: `limit_req`, which counts in the memory of one nginx. Checks no key, and charges and logs nothing.
 * - `redis`: Lua calls Redis, which checks key and balance, counts, charges, and logs (`redis_read.lua`). Redis writes
 *   its log to the disk before it responds, as PostgreSQL does here.
 *
 * `nginx.ts limit|redis ANSWER_FILE SET_FILE`: the response in the format of `bare.ts`, and keys, account ids, feed
 * ids, price, and balance as JSON. Prints its port. Requires Debian's nginx-light, and for Redis also
 * libnginx-mod-http-lua, lua-nginx-redis, and redis-server.
 *
 * @module
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RedisClient } from "bun";
import { freePort } from "../../support/free_port.ts";
import { NGINX, nginxConfiguration, untilAnswering } from "../../support/nginx.ts";

const REDIS = Bun.which("redis-server");
/** Debian's modules that Lua needs, which nginx must load explicitly. */
const LUA_MODULES = ["ndk_http_module", "ngx_http_lua_module"].map(
  (name) => `/usr/lib/nginx/modules/${name}.so`,
);
/** Higher than any run can reach. */
const READS_MAX = 1_000_000;
const CONNECTIONS = 256;

/** The kinds for which this machine has the required packages. */
export const KINDS = (["limit", "redis"] as const).filter((kind) =>
  kind === "limit"
    ? NGINX !== null
    : NGINX !== null && REDIS !== null && LUA_MODULES.every(existsSync),
);

/** The set of keys and feeds that Redis needs. */
export interface RedisSet {
  readonly keys: readonly string[];
  readonly accountIds: readonly string[];
  readonly feedIds: readonly string[];
  readonly balance: string;
  readonly price: string;
}

interface Answer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function main([kind, answerFile = "", setFile = ""]: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "feedgate-bench-nginx-"));
  const answer: Answer = await Bun.file(answerFile).json();
  const port = freePort();
  const children: Bun.Subprocess[] = [];
  let location = limited(folder, answer);
  if (kind === "redis") {
    const socket = join(folder, "redis.sock");
    children.push(await startRedis(folder, socket));
    const script = await fillRedis(socket, await Bun.file(setFile).json());
    location = charged(folder, { answer, socket, script });
  }
  writeFileSync(join(folder, "nginx.conf"), configuration(folder, { port, location }));
  const argv = [NGINX ?? "", "-p", folder, "-c", "nginx.conf", "-e", "stderr"];
  children.push(Bun.spawn(argv, { stdio: ["ignore", "inherit", "inherit"] }));
  await untilAnswering(`http://127.0.0.1:${port}/`);
  process.on("SIGTERM", async () => {
    for (const child of children) child.kill();
    await Promise.all(children.map(({ exited }) => exited));
    rmSync(folder, { recursive: true, force: true });
    process.exit(0);
  });
  console.log(port);
}

/** One process, so that its processor time is that of a child of this one. */
function configuration(
  folder: string,
  { port, location }: { readonly port: number; readonly location: string },
): string {
  const modules = LUA_MODULES.filter(existsSync).map((path) => `load_module ${path};`);
  const main = [...modules, "daemon off;", "master_process off;"].join("\n");
  const http = `
    keepalive_requests 100000000;
    limit_req_zone $http_x_api_key zone=keys:10m rate=${READS_MAX}r/s;
    server {
      listen 127.0.0.1:${port};
      location / { return 204; }
      ${location}
    }`;
  return nginxConfiguration(folder, http, main);
}

function limited(folder: string, { headers, body }: Answer): string {
  writeFileSync(join(folder, "answer"), body);
  const more = Object.entries(headers)
    .filter(([name]) => name !== "content-type")
    .map(([name, value]) => `add_header ${name} ${JSON.stringify(value)};`);
  return `
    location /v1/feed/ {
      limit_req zone=keys burst=1000 nodelay;
      limit_req_status 429;
      default_type application/json;
      ${more.join("\n")}
      root ${folder};
      open_file_cache max=10;
      try_files /answer =404;
    }`;
}

function charged(
  folder: string,
  {
    answer,
    socket,
    script,
  }: { readonly answer: Answer; readonly socket: string; readonly script: string },
): string {
  // The receipt's id is Redis's own, so it replaces the one in the response.
  const [head, tail] = answer.body.split(/(?<="usage_id":")[^"]*/);
  const file = join(folder, "read.lua");
  const quoted = (text: string | undefined) => `[==[${text}]==]`;
  const headers = Object.entries(answer.headers).map(
    ([name, value]) => `ngx.header[ ${quoted(name)} ] = ${quoted(value)}`,
  );
  writeFileSync(
    file,
    `local redis = require "nginx.redis"
    local server = redis:new()
    local ok, error = server:connect("unix:${socket}")
    if not ok then ngx.log(ngx.ERR, error) return ngx.exit(503) end
    local feed = string.sub(ngx.var.uri, ${"/v1/feed/".length + 1})
    local answer, error = server:evalsha("${script}", 0, ngx.var.http_x_api_key, feed, ${READS_MAX})
    if not answer then ngx.log(ngx.ERR, error) return ngx.exit(503) end
    server:set_keepalive(60000, ${CONNECTIONS})
    if tonumber(answer[1]) ~= 200 then return ngx.exit(tonumber(answer[1])) end
    ${headers.join("\n")}
    ngx.print(${quoted(head)}, answer[2], ${quoted(tail)})\n`,
  );
  return `location /v1/feed/ { content_by_lua_file ${file}; }`;
}

async function startRedis(folder: string, socket: string): Promise<Bun.Subprocess> {
  const durable = ["--appendonly", "yes", "--appendfsync", "always", "--save", ""];
  const argv = [REDIS ?? "", "--port", "0", "--unixsocket", socket, "--dir", folder, ...durable];
  const server = Bun.spawn(argv, { stdio: ["ignore", "ignore", "inherit"] });
  while (!existsSync(socket)) await Bun.sleep(20);
  return server;
}

/** Stores keys, prices, and balances. Returns the name of the script in Redis. */
async function fillRedis(socket: string, set: RedisSet): Promise<string> {
  const redis = new RedisClient(`redis+unix://${socket}`);
  const { keys, accountIds, feedIds, balance, price } = set;
  const pairs = (names: readonly string[], of: (place: number) => string) =>
    names.flatMap((name, place) => [name, of(place)]);
  await redis.send("HSET", ["keys", ...pairs(keys, (place) => accountIds[place] ?? "")]);
  await redis.send("HSET", ["balances", ...pairs(accountIds, () => balance)]);
  await redis.send("HSET", ["prices", ...pairs(feedIds, () => price)]);
  const text = await Bun.file(new URL("./redis_read.lua", import.meta.url)).text();
  const script = String(await redis.send("SCRIPT", ["LOAD", text]));
  redis.close();
  return script;
}

if (import.meta.main) await main(process.argv.slice(2));
