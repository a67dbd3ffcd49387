/**
 * People who join a test gateway, as a browser without JavaScript would.
 *
 * @module
 */
import { expect } from "bun:test";
import { present } from "../../src/lib/assert.ts";
import { type Visitor, visitor } from "../pages/console/support.ts";
import type { TestGateway } from "../support/gateway.ts";

/** A browser that keeps its cookies. */
export interface Browser {
  cookie(): string;
  get(path: string): Promise<Response>;
  post(path: string, fields: Readonly<Record<string, string>>): Promise<Response>;
  /** Asks each gateway in turn until one answers. */
  untilAnswered(ask: () => Promise<Response>): Promise<Response>;
  /** The console's pages for whoever is signed in. */
  visitor(): Visitor;
}

/** At a gateway, or at several that serve the same address, of which each call asks the next. */
export function browser(
  baseUrl: string | readonly string[],
  headers: Readonly<Record<string, string>> = {},
): Browser {
  const bases = typeof baseUrl === "string" ? [baseUrl] : baseUrl;
  let calls = 0;
  const nextBase = () => {
    calls += 1;
    return present(bases[calls % bases.length]);
  };
  const jar = new Map<string, string>();
  const cookie = () => [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
  const keep = (answer: Response) => {
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      const [name = "", value = ""] = pair.split("=");
      if (value === "") jar.delete(name);
      else jar.set(name, value);
    }
    return answer;
  };
  return {
    cookie,
    get: async (path) =>
      keep(
        await fetch(nextBase() + path, {
          headers: { ...headers, cookie: cookie() },
          redirect: "manual",
        }),
      ),
    post: async (path, fields) =>
      keep(
        await fetch(nextBase() + path, {
          method: "POST",
          headers: { ...headers, cookie: cookie(), "sec-fetch-site": "same-origin" },
          body: new URLSearchParams(fields),
          redirect: "manual",
        }),
      ),
    async untilAnswered(ask) {
      for (;;) {
        const answer = await ask().catch(() => undefined);
        if (answer !== undefined && answer.status < 500) return answer;
        await Bun.sleep(50);
      }
    },
    visitor: () => visitor(present(bases[0]), cookie()),
  };
}

/** A network of its own, for a gateway that trusts this machine as a proxy: others ignore it. */
export function elsewhere(): Readonly<Record<string, string>> {
  const [a = 0, b = 0, c = 0] = crypto.getRandomValues(new Uint8Array(3));
  return { "x-forwarded-for": `${100 + (a % 20)}.${b}.${c}.1` };
}

/** The newest code that waits in the outbox for an address. */
export async function codeFor({ sql }: TestGateway, address: string): Promise<string> {
  const rows = await sql<{ body_text: string }[]>`
    select body_text from mails where lower(address) = ${address.toLowerCase()} order by created_at desc limit 1`;
  return present(/\b(\d{8})\b/.exec(present(rows[0]).body_text)?.[1]);
}

/** Proves an address by the code that is mailed to it. Returns where the gateway then leads. */
export async function prove(gateway: TestGateway, at: Browser, address: string): Promise<string> {
  const asked = await at.post("/console/sign-in", { address });
  expect([asked.status, asked.headers.get("location")]).toEqual([
    303,
    expect.stringContaining("/console/sign-in/code"),
  ]);
  const entered = await at.post("/console/sign-in/code", { code: await codeFor(gateway, address) });
  expect(entered.status).toBe(303);
  return present(entered.headers.get("location") ?? undefined);
}

/** Joins as a new person. `accepts`: takes the invitation to an account, too. */
export async function join(
  gateway: TestGateway,
  address: string,
  { name = "Ada", baseUrl = gateway.baseUrl, accepts = false } = {},
): Promise<Browser> {
  const at = browser(baseUrl, elsewhere());
  expect(await prove(gateway, at, address)).toContain("/console/join");
  const joined = await at.post("/console/join", { name, terms: "yes" });
  expect(joined.status).toBe(303);
  if (accepts) await accept(at);
  return at;
}

/** Accepts the first invitation that the page of accounts lists. */
export async function accept(at: Browser): Promise<void> {
  const page = await (await at.get("/console/choose")).text();
  const invitation = /name="invitation_id" value="([^"]+)"/.exec(page)?.[1];
  const answer = await at.post("/console/choose", {
    act: "accept",
    invitation_id: present(invitation),
  });
  expect([answer.status, answer.headers.get("location")]).toEqual([
    303,
    expect.stringContaining("/console?done=joined"),
  ]);
}

interface Invited {
  readonly admin: string;
  readonly account: string;
  readonly address: string;
  readonly role: "owner" | "member";
}

/** Invites an address to an account, as an operator. */
export async function invite(
  gateway: TestGateway,
  { admin, account, address, role }: Invited,
): Promise<void> {
  const path = `/v1/operator/accounts/${account}/members`;
  expect((await gateway.send("POST", path, admin, { address, role })).status).toBe(201);
}

/** Tables of which a row has the text, in upper or lower case. */
export async function tablesWith(sql: TestGateway["sql"], text: string): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    select quote_ident(table_name) as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`;
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await sql.unsafe(
      `select 1 from ${name} as each where strpos(lower(each::text), $1) > 0 limit 1`,
      [text.toLowerCase()],
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
}
