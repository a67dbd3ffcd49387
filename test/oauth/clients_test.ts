import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  CLIENT_DOCUMENT_BYTES_MAX,
  CLIENT_DOCUMENT_FAILED_MS,
  CLIENT_DOCUMENT_KEPT_MS,
  CLIENT_DOCUMENT_MS_MAX,
} from "../../src/limits.ts";
import { Clients } from "../../src/oauth/clients.ts";
import { type DocumentHost, startDocumentHost } from "../support/document_host.ts";

let host: DocumentHost;
let nowMs = 0;

beforeAll(async () => {
  host = await startDocumentHost();
});
afterAll(() => host.stop());

/** Registrations are `codes_test.ts`'s and `flow_test.ts`'s. */
const database = { row: async () => undefined };

/** @param resolve without it, names resolve as they do */
function clientsWith(
  resolve?: (hostname: string) => Promise<readonly string[]>,
  { isOpen = true, documentMsMax = CLIENT_DOCUMENT_MS_MAX } = {},
) {
  const { certificate } = host;
  const trial = isOpen ? { certificate, ...(resolve && { resolve }) } : undefined;
  return new Clients({ database, isFetching: true, trial, documentMsMax, nowMs: () => nowMs });
}

const document = (path: string, changes: object = {}) => ({
  client_id: host.origin + path,
  client_name: "Agent",
  redirect_uris: ["https://agent.test/back"],
  ...changes,
});

async function reasonOf(clients: Clients, clientId: string): Promise<string> {
  const found = await clients.find(clientId, "account");
  expect(found.kind).toBe("unknown");
  return found.kind === "unknown" ? found.reason : "";
}

describe("a client's metadata document", () => {
  test("says who the client is, and is kept for a while", async () => {
    host.serve("/agent.json", () => Response.json(document("/agent.json")));
    const clients = clientsWith();
    const id = `${host.origin}/agent.json`;
    const found = await clients.find(id, "account");
    expect(found).toEqual({
      kind: "client",
      client: {
        id,
        name: "Agent",
        redirectAddresses: ["https://agent.test/back"],
        host: new URL(id).host,
      },
    });
    const before = host.asked.length;
    await Promise.all([clients.find(id, "account"), clients.find(id, "other")]);
    expect(host.asked.length).toBe(before);
    nowMs += CLIENT_DOCUMENT_KEPT_MS;
    await Promise.all([clients.find(id, "account"), clients.find(id, "other")]);
    expect(host.asked.length).toBe(before + 1);
  });

  test("is asked for without a cookie, a key or a word of ours", async () => {
    const { headers } = host.asked.at(-1) ?? { headers: new Headers() };
    const ours = [...headers.keys()].filter((name) => name !== "connection");
    expect(ours.sort()).toEqual(["accept", "accept-encoding", "host", "user-agent"]);
  });

  test("may name addresses that can't be used beside one that can", async () => {
    const redirect_uris = ["http://evil.test/", "https://agent.test/back"];
    host.serve("/mixed.json", () => Response.json(document("/mixed.json", { redirect_uris })));
    expect(await clientsWith().find(`${host.origin}/mixed.json`, "account")).toMatchObject({
      client: { redirectAddresses: ["https://agent.test/back"] },
    });
  });

  test("is refused where it is none, and not asked for again at once", async () => {
    const clients = clientsWith();
    const cases: Readonly<Record<string, () => Response>> = {
      "/not-json": () => new Response("{", { headers: { "Content-Type": "application/json" } }),
      "/html": () => new Response("{}", { headers: { "Content-Type": "text/html" } }),
      "/other-id": () => Response.json(document("/agent.json")),
      "/secret": () =>
        Response.json(document("/secret", { token_endpoint_auth_method: "client_secret_post" })),
      "/bad-address": () =>
        Response.json(document("/bad-address", { redirect_uris: ["http://evil.test/"] })),
      "/large": () =>
        Response.json(document("/large", { more: "x".repeat(CLIENT_DOCUMENT_BYTES_MAX) })),
      "/failing": () => new Response("x", { status: 500 }),
    };
    for (const [path, answer] of Object.entries(cases)) {
      host.serve(path, answer);
      expect(await reasonOf(clients, host.origin + path)).toContain("can't be used");
    }
    const before = host.asked.length;
    await reasonOf(clients, `${host.origin}/html`);
    expect(host.asked.length).toBe(before);
    nowMs += CLIENT_DOCUMENT_FAILED_MS;
    await reasonOf(clients, `${host.origin}/html`);
    expect(host.asked.length).toBe(before + 1);
  });

  test("may have 5 KB and no more, also if its length is not declared or it is compressed", async () => {
    const clients = clientsWith();
    const padded = (path: string) => {
      const text = JSON.stringify(document(path));
      return text + " ".repeat(CLIENT_DOCUMENT_BYTES_MAX - text.length);
    };
    const json = { "Content-Type": "application/json" };
    host.serve("/exact", () => new Response(padded("/exact"), { headers: json }));
    expect((await clients.find(`${host.origin}/exact`, "account")).kind).toBe("client");
    host.serve("/endless", () => {
      const chunk = new TextEncoder().encode(" ".repeat(1_000));
      const body = new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
      return new Response(body, { headers: json });
    });
    expect(await reasonOf(clients, `${host.origin}/endless`)).toContain("larger than 5120 bytes");
    host.serve("/bomb", () => {
      const bytes = Bun.gzipSync(Buffer.alloc(50_000_000, " "));
      return new Response(bytes, { headers: { ...json, "Content-Encoding": "gzip" } });
    });
    expect(await reasonOf(clients, `${host.origin}/bomb`)).toContain("can't be used");
  });

  test("that takes too long is given up", async () => {
    const released = Promise.withResolvers<void>();
    host.serve("/slow", async () => {
      await released.promise;
      return new Response();
    });
    const trial = { certificate: host.certificate };
    const clients = new Clients({ database, isFetching: true, trial, documentMsMax: 50 });
    expect(await reasonOf(clients, `${host.origin}/slow`)).toContain("takes too long");
    released.resolve();
  });
});

describe("server-side request forgery", () => {
  test("an address that leads elsewhere is not followed (redirects)", async () => {
    host.serve("/redirect", () => Response.redirect(`${host.origin}/agent.json`, 302));
    const before = host.asked.length;
    expect(await reasonOf(clientsWith(), `${host.origin}/redirect`)).toContain("302");
    expect(host.asked.slice(before).map(({ path }) => path)).toEqual(["/redirect"]);
  });

  test("addresses of this machine and of networks that only it can reach are not asked", async () => {
    const { port } = new URL(host.origin);
    const before = host.asked.length;
    const clients = clientsWith(undefined, { isOpen: false });
    for (const hostname of [
      "localhost",
      "127.0.0.1",
      "[::1]",
      "[::ffff:7f00:1]",
      "[::]",
      "0.0.0.0",
      "10.0.0.1",
      "172.16.0.1",
      "192.168.0.1",
      "169.254.169.254",
      "[fe80::1]",
      "[fc00::1]",
      "[64:ff9b::7f00:1]",
      "[2002:7f00:1::]",
    ]) {
      const url = new URL(`https://x:${port}/agent.json`.replace("x", hostname)).href;
      expect([hostname, await reasonOf(clients, url)]).toEqual([
        hostname,
        expect.stringContaining("not public"),
      ]);
    }
    // Other spellings of 127.0.0.1 are no client's id at all.
    for (const hostname of ["2130706433", "0x7f000001", "127.1", "0177.0.0.1"]) {
      expect(await reasonOf(clients, `https://${hostname}:${port}/agent.json`)).toContain(
        "not registered",
      );
    }
    expect(host.asked.length).toBe(before);
  });

  test("a name with one private address among public ones is not asked", async () => {
    const before = host.asked.length;
    for (const addresses of [
      ["8.8.8.8", "10.0.0.1"],
      ["fd00::1", "8.8.8.8"],
    ]) {
      const { port } = new URL(host.origin);
      const clients = clientsWith(async () => addresses);
      const url = `https://agent.test:${port}/agent.json`;
      expect(await reasonOf(clients, url)).toContain("not public");
    }
    expect(host.asked.length).toBe(before);
  });

  test("a name that resolves to a private address is refused as one that does not resolve, or has no address, or no end", async () => {
    const { port } = new URL(host.origin);
    const reasons = new Set<string>();
    const id = `https://internal.test:${port}/agent.json`;
    for (const resolve of [
      async () => ["10.0.0.1"],
      async () => [],
      () => Promise.reject(new Error("ENOTFOUND")),
    ]) {
      reasons.add(await reasonOf(clientsWith(resolve), id));
    }
    const hanging = clientsWith(() => new Promise<never>(() => {}), { documentMsMax: 50 });
    reasons.add(await reasonOf(hanging, id));
    expect(reasons.size).toBe(1);
  });

  test("a name is resolved once, and the connection goes to the address that was checked (DNS rebinding)", async () => {
    const { port } = new URL(host.origin);
    const path = "/pinned.json";
    const id = `https://agent.test:${port}${path}`;
    host.serve(path, () => Response.json(document(path, { client_id: id })));
    let resolved = 0;
    // agent.test has no address. Only the one that was checked leads to the document.
    const clients = clientsWith(async () => {
      resolved += 1;
      return resolved === 1 ? ["127.0.0.1"] : ["10.0.0.1"];
    });
    expect((await clients.find(id, "account")).kind).toBe("client");
    expect(resolved).toBe(1);
    expect(host.asked.at(-1)?.headers.get("host")).toBe(`agent.test:${port}`);
  });

  test("the certificate must be the name's, whatever the address", async () => {
    const { port } = new URL(host.origin);
    const clients = clientsWith(async () => ["127.0.0.1"]);
    const reason = await reasonOf(clients, `https://other.test:${port}/agent.json`);
    expect(reason).toContain("can't be reached");
  });

  test("what is no address of a document is no client's id", async () => {
    const clients = clientsWith();
    for (const id of [
      "http://localhost/agent.json",
      "https://agent.test",
      "https://agent.test/",
      "https://agent.test/agent.json#part",
      "https://agent.test/a/../agent.json",
      "https://user@agent.test/agent.json",
      "https://AGENT.test/agent.json",
      "file:///etc/passwd",
      "gopher://agent.test/x",
      `https://agent.test/${"x".repeat(600)}`,
      "",
    ]) {
      expect([id, await reasonOf(clients, id)]).toEqual([
        id,
        expect.stringContaining("not registered"),
      ]);
    }
  });

  test("nothing is asked where FEEDGATE_CONNECT_FETCH is off", async () => {
    const before = host.asked.length;
    const { certificate } = host;
    const clients = new Clients({ database, isFetching: false, trial: { certificate } });
    expect(await reasonOf(clients, `${host.origin}/agent.json`)).toContain("must register");
    expect(host.asked.length).toBe(before);
  });
});
