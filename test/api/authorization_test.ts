/**
 * Who may call which route: every route of the app by every kind of credential. What is to be expected is said for each
 * kind of route, and a route of no known kind fails the first test.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { generateKey } from "../../src/accounts/key_format.ts";
import { CONSUMER_PAGES } from "../../src/pages/console/consumer/consumer_pages.ts";
import { OPERATOR_PAGES } from "../../src/pages/console/operator/operator_pages.ts";
import { PERSON_PAGES } from "../../src/pages/console/person/person_pages.ts";
import { PROVIDER_PAGES } from "../../src/pages/console/provider/provider_pages.ts";
import { UNKNOWN_ID } from "../cli/support.ts";
import { elsewhere, invite, join } from "../people/support.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { insertAdminKey } from "../support/insert_key.ts";
import { type RouteOfApp, readRouteTable } from "../support/route_table.ts";
import { signIn } from "../support/session.ts";
import { STRIPE_ENVIRONMENT } from "../support/stripe_host.ts";

/** Routes that need a read key. */
const OF_CONSUMERS = [
  "GET /v1/catalog",
  "GET /v1/search",
  "GET /v1/feed/:id",
  "GET /v1/feed/:id/metadata",
  "GET /v1/feed/:id/stream",
  "GET /v1/feed/:id/export",
  "POST /v1/feed/:id/purchase",
  "POST /v1/feed/:id/access-requests",
  "GET /v1/account",
  "GET /v1/account/access-requests",
  "GET /v1/usage",
  "GET /v1/purchases",
  "DELETE /v1/account/agents/:key_id",
  "POST /v1/topups",
  "GET /v1/topups/:topup_id",
];
/** Routes that need no key, and answer the same whatever is sent with them. */
const OPEN = [
  "GET /",
  "GET /healthz",
  "GET /readyz",
  "GET /assets/:name",
  "GET /billing",
  "GET /billing/paid",
  // Its token is its key.
  "GET /unsubscribe/:token",
  "POST /unsubscribe/:token",
  "GET /docs",
  "GET /docs/assets/:name",
  "GET /docs/errors",
  "GET /docs/guides",
  "GET /docs/guides/:name",
  "GET /docs/json",
  "GET /docs/reference/:name",
  "GET /docs/try",
  "GET /docs/try/:name",
  "GET /feeds/:slug",
  "GET /feeds/:slug/live",
  "GET /llms.txt",
  "GET /openapi.json",
  "GET /public/feeds/:id/agent-skill",
  "GET /robots.txt",
  "GET /sitemap.xml",
  "GET /.well-known/agent-skills/feedgate/SKILL.md",
  "GET /.well-known/agent-skills/index.json",
  "GET /.well-known/api-catalog",
  "GET /.well-known/mcp/server-card.json",
  "GET /.well-known/oauth-authorization-server",
  "GET /.well-known/oauth-protected-resource/mcp/connect",
  "GET /console/link/:token",
  "POST /console/link/:token",
  "GET /console/sign-in",
  "POST /console/sign-in",
  // A proof of an address is in a cookie of its own.
  "GET /console/sign-in/code",
  "POST /console/sign-in/code",
  "GET /console/join",
  "POST /console/join",
  "POST /oauth/register",
  "POST /oauth/token",
  // Its signature is its key.
  "POST /webhooks/stripe",
];

type Kind =
  | "open"
  | "consumer"
  | "provider"
  | "account"
  | "operator"
  | "scraper"
  | "page"
  | "person"
  | "sign-out"
  | "consent"
  | "mcp"
  | "connect";

/** Undefined: nobody has said who may call it. */
function kindOf({ method, path }: RouteOfApp): Kind | undefined {
  const route = `${method} ${path.replace(/^\/api\//, "/")}`;
  if (OPEN.includes(route)) return "open";
  if (OF_CONSUMERS.includes(route)) return "consumer";
  if (/ \/v1\/webhooks(\/|$)/.test(route)) return "account";
  if (/ \/v1\/provider\//.test(route)) return "provider";
  if (/ \/v1\/operator\//.test(route)) return "operator";
  if (route === "GET /metrics") return "scraper";
  if (route === "POST /console/sign-out") return "sign-out";
  if (/ \/console\/(choose|you)$/.test(route)) return "person";
  if (/ \/console(\/|$)/.test(route)) return "page";
  if (/ \/oauth\/authorize$/.test(route)) return "consent";
  if (route === "POST /mcp") return "mcp";
  if (route === "POST /mcp/connect") return "connect";
  return undefined;
}

/** Pages ask for a sign-in instead, and `/mcp` answers in its own protocol. */
const NEEDS_KEY: ReadonlySet<Kind> = new Set([
  "consumer",
  "provider",
  "account",
  "operator",
  "scraper",
  "connect",
]);
const PAGES_OF_PERSONS = PERSON_PAGES.map(({ page }) => page);
const ROLES = {
  consumer: CONSUMER_PAGES,
  provider: PROVIDER_PAGES,
  operator: OPERATOR_PAGES,
  // What a member may not do, its pages refuse.
  owner: PAGES_OF_PERSONS,
  member: PAGES_OF_PERSONS,
};
type Role = keyof typeof ROLES;

type Credential =
  | "none"
  | "wrong"
  | `${"revoked" | "expired"} ${"read" | "write" | "admin"}`
  | `suspended ${"read" | "write"}`
  | "read"
  | "write"
  | "admin"
  | `cookie of a ${Role}`
  | "cookie of a revoked key"
  | `cookie of a person ${"without account" | "who was removed" | "of a suspended account"}`
  | "cookie of a suspended account";

interface Sent {
  readonly key?: string;
  readonly cookie?: string;
}

/** `passes`: the route looks at what is asked. */
type Outcome = "passes" | `${number} ${string}` | number;

/** Of a route that needs a key. `ended`: its status for a key that nobody has any more. */
function byKey(needed: "read" | "write" | "admin", ended: 401 | 403) {
  return (credential: Credential): Outcome => {
    if (credential === needed) return "passes";
    if (credential === "none" || credential.startsWith("cookie")) return "401 KEY_REQUIRED";
    if (credential.startsWith("suspended")) return "403 ACCOUNT_SUSPENDED";
    return isHeld(credential) ? "403 KEY_PERMISSION" : `${ended} KEY_INVALID`;
  };
}

function isHeld(credential: Credential): boolean {
  return ["read", "write", "admin"].includes(credential);
}

/** Of a page of the console. */
function byRole(credential: Credential, { method, path }: RouteOfApp): Outcome {
  const role = roleOf(credential);
  // To the choice of an account.
  if (isOutside(credential)) return "303 elsewhere";
  if (role === undefined) return method === "GET" ? "200 sign in" : "401 sign in";
  // The events of a page are for those who have the page, and only if it updates.
  const page = path.replace(/^\/console\/?/, "").replace(/\/?\blive$/, "");
  const isLive = path.endsWith("/live");
  return ROLES[role].some((each) => each.path === page && (!isLive || each.watch !== undefined))
    ? "passes"
    : "404 no such page";
}

function roleOf(credential: Credential): Role | undefined {
  return (Object.keys(ROLES) as Role[]).find((role) => credential === `cookie of a ${role}`);
}

/** Whether it is a person who acts in no account. */
function isOutside(credential: Credential): boolean {
  return credential.startsWith("cookie of a person");
}

/** Of a page of a person, in an account or in none. */
function byPerson(credential: Credential): Outcome {
  const role = roleOf(credential);
  const isPerson = role === "owner" || role === "member" || isOutside(credential);
  return isPerson ? "passes" : "303 elsewhere";
}

const EXPECTED: Readonly<Record<Kind, (credential: Credential, route: RouteOfApp) => Outcome>> = {
  open: () => "passes",
  consumer: byKey("read", 403),
  provider: byKey("write", 401),
  // A read key or a write key.
  account: (credential) =>
    credential.endsWith("write") ? byKey("write", 401)(credential) : byKey("read", 403)(credential),
  operator: byKey("admin", 401),
  // Its token is no key.
  scraper: (credential) =>
    credential === "none" || credential.startsWith("cookie")
      ? "401 KEY_REQUIRED"
      : "401 KEY_INVALID",
  page: byRole,
  person: byPerson,
  "sign-out": () => 303,
  // Only a consumer may agree, which asks for a client to agree to.
  consent: (credential, { method }) => {
    const role = roleOf(credential);
    if (method === "GET" && isOutside(credential)) return 403;
    if (method === "POST" || role === undefined) return 303;
    return role === "consumer" || role === "owner" ? 400 : 403;
  },
  // By the problem of a tool.
  mcp: byKey("read", 403),
  // Clients then begin OAuth.
  connect: (credential) => {
    const outcome = byKey("read", 401)(credential);
    return outcome === "403 KEY_PERMISSION" ? "401 KEY_PERMISSION" : outcome;
  },
};

/** They show that an alias has the guard of the route that it is an alias of. */
const OF_ALIASES: readonly Credential[] = ["none", "wrong", "read", "write", "admin"];

function isAlias({ path }: RouteOfApp): boolean {
  return path.startsWith("/api/");
}

function isWanted(route: RouteOfApp) {
  return ([credential]: readonly [Credential, Sent]) =>
    !isAlias(route) || OF_ALIASES.includes(credential);
}

const KEY_CODES = ["KEY_REQUIRED", "KEY_INVALID", "KEY_PERMISSION", "ACCOUNT_SUSPENDED"];
const TOOL_CALL = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "get_account", arguments: {} },
};

let gateway: TestGateway;
let routes: readonly RouteOfApp[];
let credentials: ReadonlyMap<Credential, Sent>;

beforeAll(async () => {
  const environment = {
    FEEDGATE_METRICS_TOKEN: "scrape-me-0123456789",
    FEEDGATE_READ_LIMIT_FREE: "100000",
    FEEDGATE_TRUSTED_PROXIES: "127.0.0.1",
    FEEDGATE_SMTP_URL: "smtp://127.0.0.1:1",
    FEEDGATE_MAIL_FROM: "gate@example.com",
    ...STRIPE_ENVIRONMENT,
  };
  gateway = await startTestGateway(environment);
  routes = await readRouteTable({ DATABASE_URL: gateway.databaseUrl, ...environment });
  credentials = await makeCredentials(gateway);
});
afterAll(() => gateway.stop());

async function makeCredentials(gateway: TestGateway): Promise<ReadonlyMap<Credential, Sent>> {
  const account = await gateway.createAccount({ credits: 1_000 });
  const suspended = await gateway.createAccount();
  const made = new Map<Credential, Sent>([
    ["none", {}],
    ["wrong", { key: generateKey("read") }],
  ]);
  const admin = await insertAdminKey(gateway);
  const cookieOf = async (key: string): Promise<Sent> => ({ cookie: await signIn(gateway, key) });
  const newest = async (of: string, set: string) => {
    await gateway.sql.unsafe(
      `update api_keys set ${set} = now()
      where key_id = (select key_id from api_keys where account_id = '${of}' order by created_at desc limit 1)`,
    );
  };
  for (const permission of ["read", "write"] as const) {
    made.set(permission, { key: await gateway.createKey(account, permission) });
    for (const [state, column] of [
      ["revoked", "revoked_at"],
      ["expired", "expires_at"],
    ] as const) {
      made.set(`${state} ${permission}`, { key: await gateway.createKey(account, permission) });
      await newest(account, column);
    }
    made.set(`suspended ${permission}`, { key: await gateway.createKey(suspended, permission) });
  }
  made.set("admin", { key: admin.key });
  for (const [state, column] of [
    ["revoked", "revoked_at"],
    ["expired", "expires_at"],
  ] as const) {
    const ended = await insertAdminKey(gateway, state);
    await gateway.sql.unsafe(
      `update admin_keys set ${column} = now() where key_id = '${ended.id}'`,
    );
    made.set(`${state} admin`, { key: ended.key });
  }
  made.set("cookie of a consumer", await cookieOf(made.get("read")?.key ?? ""));
  made.set("cookie of a provider", await cookieOf(made.get("write")?.key ?? ""));
  made.set("cookie of a operator", await cookieOf(admin.key));
  const over = await gateway.createKey(account, "read");
  made.set("cookie of a revoked key", await cookieOf(over));
  await newest(account, "revoked_at");
  made.set("cookie of a suspended account", await cookieOf(made.get("suspended read")?.key ?? ""));
  for (const [credential, role, of] of [
    ["cookie of a owner", "owner", account],
    ["cookie of a member", "member", account],
    ["cookie of a person who was removed", "owner", account],
    ["cookie of a person of a suspended account", "owner", suspended],
  ] as const) {
    const address = `${credential.replaceAll(" ", "-")}@example.com`;
    await invite(gateway, { admin: admin.key, account: of, address, role });
    const at = await join(gateway, address, { accepts: true });
    made.set(credential, { cookie: at.cookie() });
    if (credential.endsWith("removed")) {
      const path = `/v1/operator/accounts/${of}/members/${address}`;
      expect((await gateway.send("DELETE", path, admin.key, undefined)).status).toBe(200);
    }
  }
  const address = "outside@example.com";
  await invite(gateway, { admin: admin.key, account, address, role: "member" });
  made.set("cookie of a person without account", {
    cookie: (await join(gateway, address)).cookie(),
  });
  await gateway.sql`
    update accounts set suspension_reason = 'test' where account_id = ${suspended}`;
  return made;
}

/** What came of a call of the route. */
async function outcomeOf(route: RouteOfApp, kind: Kind, sent: Sent): Promise<Outcome> {
  const { method, path } = route;
  const isForm = ["page", "person", "consent", "sign-out"].includes(kind);
  const isSent = method === "POST" || method === "PATCH";
  const body = kind === "mcp" || kind === "connect" ? JSON.stringify(TOOL_CALL) : "{}";
  const response = await fetch(gateway.baseUrl + path.replaceAll(/:[a-z_]+/g, UNKNOWN_ID), {
    method,
    redirect: "manual",
    headers: {
      Accept: "application/json, text/event-stream",
      ...(isSent && {
        "Content-Type": isForm ? "application/x-www-form-urlencoded" : "application/json",
      }),
      // As a browser says it of a form of this site.
      "Sec-Fetch-Site": "same-origin",
      // Pages are limited by network, and these are more than one asks for in a minute.
      ...((kind === "page" || kind === "person") && elsewhere()),
      ...(sent.key !== undefined && { Authorization: `Bearer ${sent.key}` }),
      ...(sent.cookie !== undefined && { Cookie: sent.cookie }),
    },
    ...(isSent && { body: isForm ? "act=none" : body }),
  });
  const { status } = response;
  // It goes on for minutes.
  if (path.endsWith("/live") && status === 200 && response.headers.has("x-accel-buffering")) {
    await response.body?.cancel();
    return "passes";
  }
  const text = await response.text();
  if (kind === "consent" || kind === "sign-out") return status;
  if (kind === "page" || kind === "person") {
    if (status === 303) return `${status} elsewhere`;
    if (text.includes('/console/sign-in"')) return `${status} sign in`;
    return text.includes("available for your role") ? `${status} no such page` : "passes";
  }
  const isProblem = response.headers.get("content-type") === "application/problem+json";
  const problem = isProblem ? JSON.parse(text) : (problemOfTool(text) ?? {});
  expect({ ...route, status, problem }).not.toMatchObject({ status: 500 });
  return KEY_CODES.includes(problem.code) ? `${problem.status} ${problem.code}` : "passes";
}

function problemOfTool(text: string): { status: number; code: string } | undefined {
  const [message] = /\{"jsonrpc".*|\{"result".*/.exec(text) ?? [];
  const json = message && JSON.parse(message);
  return json?.result?.isError ? json.result.structuredContent : undefined;
}

describe("every route of the app", () => {
  test("is of a kind that says who may call it", () => {
    expect(routes.length).toBeGreaterThan(150);
    expect(routes.filter((route) => kindOf(route) === undefined)).toEqual([]);
    // A route that is gone is taken out here, too.
    const known = new Set(routes.map(({ method, path }) => `${method} ${path}`));
    const gone = [...OF_CONSUMERS, ...OPEN].filter((route) => !known.has(route));
    expect(gone).toEqual([]);
  });

  test("that needs a key is 401 with a challenge without one, whatever its parameters are", async () => {
    const found: string[] = [];
    for (const { method, path } of routes.filter((route) => !isAlias(route))) {
      const kind = kindOf({ method, path }) ?? "open";
      if (!NEEDS_KEY.has(kind)) continue;
      for (const query of ["x=1", "limit=x&limit=y", "%zz"]) {
        const address = `${path.replaceAll(/:[a-z_]+/g, UNKNOWN_ID)}?${query}`;
        const answer = await fetch(gateway.baseUrl + address, { method });
        await answer.body?.cancel();
        const isChallenged = answer.headers.has("www-authenticate");
        if (answer.status !== 401 || !isChallenged) {
          found.push(`${method} ${address}: ${answer.status} ${isChallenged}`);
        }
      }
    }
    expect(found).toEqual([]);
  });

  test("answers each kind of credential as its kind says", async () => {
    const found: string[] = [];
    const wanted: string[] = [];
    // Signing out ends the session that it is sent with.
    const last = (route: RouteOfApp) => Number(kindOf(route) === "sign-out");
    for (const route of routes.toSorted((one, other) => last(one) - last(other))) {
      const kind = kindOf(route) ?? "open";
      const outcomes = await Promise.all(
        [...credentials].filter(isWanted(route)).map(async ([credential, sent]) => ({
          where: `${route.method} ${route.path} by ${credential}:`,
          found: await outcomeOf(route, kind, sent),
          wanted: EXPECTED[kind](credential, route),
        })),
      );
      for (const each of outcomes) {
        found.push(`${each.where} ${each.found}`);
        wanted.push(`${each.where} ${each.wanted}`);
      }
    }
    expect(found).toEqual(wanted);
    const aliases = routes.filter(isAlias).length;
    expect(found.length).toBe(
      (routes.length - aliases) * credentials.size + aliases * OF_ALIASES.length,
    );
  });
});
