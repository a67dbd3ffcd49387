/**
 * The console as a browser without JavaScript sees it: pages, forms and a cookie.
 *
 * @module
 */
import { expect } from "bun:test";
import { shellActor } from "../../../src/accounts/actor.ts";
import { createAdminKey } from "../../../src/operator/keys.ts";
import { createDatabase } from "../../../src/postgres/client/database.ts";
import type { TestGateway } from "../../support/gateway.ts";

export const ACTOR = shellActor("test");

/** A key of an operator. */
export async function createAdmin(gateway: TestGateway, name = "ops"): Promise<string> {
  const operator = {
    database: createDatabase(gateway.sql),
    limits: gateway.gateway.services.config.limits,
  };
  return (await createAdminKey(operator, { name }, ACTOR)).key;
}

export interface Visitor {
  readonly cookie: string;
  /** Below `/console`: "" or "/feeds". Redirects are not followed. */
  get(path: string): Promise<Response>;
  /** Sends a form, as a page of the console does. */
  post(path: string, form: Fields | FormData, headers?: Record<string, string>): Promise<Response>;
  /** The same, with the confirmation that its page asks for. Resolves with the text that was confirmed. */
  act(path: string, fields: Fields): Promise<{ readonly asked: string; readonly answer: Response }>;
}

type Fields = Readonly<Record<string, string>>;

/** A browser with this cookie; without one by default. */
export function visitor(baseUrl: string, cookie = ""): Visitor {
  const send = (path: string, init: RequestInit) =>
    fetch(`${baseUrl}/console${path}`, { redirect: "manual", ...init });
  const post: Visitor["post"] = (path, form, headers = {}) =>
    send(path, {
      method: "POST",
      headers: { cookie, "sec-fetch-site": "same-origin", ...headers },
      body: form instanceof FormData ? form : new URLSearchParams(form),
    });
  return {
    cookie,
    get: (path) => send(path, { headers: { cookie } }),
    post,
    async act(path, fields) {
      const asking = await post(path, fields);
      const asked = await asking.text();
      expect([asking.status, asked]).toEqual([200, expect.stringContaining("Please confirm")]);
      return { asked, answer: await post(path, { ...fields, confirmed: "yes" }) };
    },
  };
}

/** Pushes a file of CSV on a feed's page, and confirms what the page asks. The page that asked, and the one after. */
export async function pushFile(
  who: Visitor,
  path: string,
  { mode, csv }: { readonly mode: "add" | "replace"; readonly csv: string },
): Promise<{ readonly asking: string; readonly stored: string }> {
  const first = new FormData();
  first.set("act", "push");
  first.set("mode", mode);
  first.set("file", new File([csv], "rows.csv"));
  const asking = await (await who.post(path, first)).text();
  const second = new FormData();
  const input = /<input type="hidden" name="(\w+)" value="([^"]*)"/g;
  for (const [, name = "", value = ""] of asking.matchAll(input)) second.append(name, value);
  second.set("confirmed", "yes");
  return { asking, stored: await (await who.post(path, second)).text() };
}

/** Signs in with a key. */
export async function signIn(baseUrl: string, key: string): Promise<Visitor> {
  const answer = await visitor(baseUrl).post("/sign-in", { key });
  expect(answer.status).toBe(303);
  return visitor(baseUrl, cookieFrom(answer));
}

/** `name=value` of the cookie that an answer sets. */
export function cookieFrom(answer: Response): string {
  return (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
}

/** A link for an account, made by an operator over HTTP. */
export async function makeLink(
  gateway: TestGateway,
  { admin, account, permission }: { admin: string; account: string; permission: string },
): Promise<string> {
  const path = `/v1/operator/accounts/${account}/sessions`;
  const answer = await gateway.send("POST", path, admin, { permission });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { url: string }).url;
}

/** Presses the button of a link's page. */
export function pressLink(link: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(link, {
    method: "POST",
    headers: { "sec-fetch-site": "same-origin", ...headers },
    redirect: "manual",
  });
}

/** What the form of a page would send if nothing was typed. */
export function fieldsIn(html: string): Fields {
  const fields: Record<string, string> = {};
  let open = "";
  new HTMLRewriter()
    .on("input[name]", {
      element(input) {
        const isChosen = ["checkbox", "radio"].includes(input.getAttribute("type") ?? "");
        if (!isChosen || input.hasAttribute("checked"))
          fields[nameOf(input)] = input.getAttribute("value") ?? "";
      },
    })
    .on("select[name], textarea[name]", {
      element(field) {
        open = nameOf(field);
        fields[open] = "";
      },
    })
    .on("option[selected]", {
      element(option) {
        fields[open] = option.getAttribute("value") ?? "";
      },
    })
    .on("textarea[name]", {
      text({ text }) {
        // A line end at the beginning is no part of the text.
        fields[open] += fields[open] === "" ? text.replace(/^\n/, "") : text;
      },
    })
    .transform(html);
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, unescaped(value)]),
  );
}

function nameOf(field: HTMLRewriterTypes.Element): string {
  return field.getAttribute("name") ?? "";
}

function unescaped(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

/** Tags that a stranger's text could have made, handlers and addresses of scripts. */
export function dangersIn(html: string): readonly string[] {
  const found: string[] = [];
  const look = ({ tagName, attributes }: HTMLRewriterTypes.Element) => {
    const of = Object.fromEntries(attributes);
    const isOurs = tagName === "script" && /^[./]+\/assets\/[\w.?=&-]+$/.test(of.src ?? "");
    if (FORBIDDEN_TAGS.has(tagName) && !isOurs) found.push(tagName);
    for (const [name, value] of Object.entries(of)) {
      if (/^(on|style$|srcdoc$)/.test(name)) found.push(`${tagName} ${name}`);
      if (
        /^(href|src|action|formaction)$/.test(name) &&
        /^\s*(javascript|data|vbscript):/i.test(value)
      ) {
        found.push(`${tagName} ${name}=${value}`);
      }
    }
  };
  new HTMLRewriter().on("*", { element: look }).transform(html);
  return found;
}
const FORBIDDEN_TAGS = new Set([
  "script",
  "style",
  "iframe",
  "object",
  "embed",
  "img",
  "svg",
  "base",
]);
