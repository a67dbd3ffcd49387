/**
 * Access to feeds on pages: who may read a feed, its readers and requests, asking, and invitations of addresses.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { present } from "../../../src/lib/assert.ts";
import hostileStrings from "../../fixtures/hostile-strings.json" with { type: "json" };
import { accept, invite, join } from "../../people/support.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { HOSTILE } from "./scene.ts";
import { createAdmin, dangersIn, fieldsIn, signIn, type Visitor } from "./support.ts";

let gateway: TestGateway;
let admin: string;
let providerKey: string;
let provider: Visitor;

beforeAll(async () => {
  gateway = await startTestGateway({
    FEEDGATE_SMTP_URL: "smtp://127.0.0.1:1",
    FEEDGATE_MAIL_FROM: "gate@example.com",
    FEEDGATE_SIGN_UP: "open",
    FEEDGATE_TRUSTED_PROXIES: "127.0.0.1",
  });
  admin = await createAdmin(gateway);
  const owner = await gateway.createAccount({ name: "Provider" });
  providerKey = await gateway.createKey(owner, "write");
  provider = await signIn(gateway.baseUrl, providerKey);
});
afterAll(() => gateway.stop());

interface Feed {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
}

/** A listed feed of the provider with a row. */
async function makeFeed(access: string, more: object = {}): Promise<Feed> {
  const slug = `feed-${crypto.randomUUID().slice(0, 8)}`;
  const name = `Name of ${slug}`;
  const created = await gateway.send("POST", "/v1/provider/feed/create", providerKey, {
    name,
    endpoint_path: slug,
    feed_type: "collection",
    access,
    sample_response: { id: "sample-row" },
    ...more,
  });
  const { id } = (await created.json()) as { id: string };
  const rows = [{ id: "secret-row" }];
  const push = `/v1/provider/feed/${id}/push`;
  expect((await gateway.send("POST", push, providerKey, { payload: rows })).status).toBe(200);
  const publish = `/v1/operator/feeds/${id}/publish`;
  expect((await gateway.send("POST", publish, admin, {})).status).toBe(200);
  return { id, slug, name };
}

interface Consumer {
  readonly id: string;
  readonly key: string;
  readonly page: Visitor;
}

async function makeConsumer(name = "Consumer"): Promise<Consumer> {
  const id = await gateway.createAccount({ name, credits: 10_000_000 });
  const key = await gateway.createKey(id, "read");
  return { id, key, page: await signIn(gateway.baseUrl, key) };
}

const read = async ({ slug }: Feed, { key }: Pick<Consumer, "key">) =>
  (await gateway.get(`/v1/feed/${slug}`, key)).status;

async function html(answer: Promise<Response> | Response, status = 200): Promise<string> {
  const got = await answer;
  const text = await got.text();
  expect([got.status, text]).toEqual([status, expect.stringContaining("</html>")]);
  return text;
}

/** What a visitor without a session gets. */
const visit = (path: string) =>
  fetch(gateway.baseUrl + path, { headers: { Accept: "text/html" }, redirect: "manual" });

const readersOf = ({ id }: Feed) => `/feeds/${id}/readers`;

async function requestOf({ id }: Feed, account: string): Promise<string> {
  const [row] = await gateway.sql`
    select request_id from access_requests
    where feed_id = ${id} and account_id = ${account} order by asked_at desc limit 1`;
  return present(row).request_id;
}

/** Sends a form that acts at once, and returns where it leads. */
async function press(
  who: Visitor,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<string> {
  const answer = await who.post(path, fields);
  const text = await answer.text();
  expect([answer.status, text]).toEqual([303, ""]);
  return answer.headers.get("location") ?? "";
}

async function pressed(answer: Response): Promise<string> {
  expect([answer.status, await answer.text()]).toEqual([303, ""]);
  return answer.headers.get("location") ?? "";
}

describe("who may read a feed", () => {
  test("the provider chooses after a confirmation, and it holds from the next request on", async () => {
    const feed = await makeFeed("open");
    const consumer = await makeConsumer();
    expect(await read(feed, consumer)).toBe(200);
    const path = `/feeds/${feed.id}`;
    const choice = await html(provider.get(path));
    expect(choice).toMatch(/<input type="radio" name="access" value="open" checked/);
    for (const [access, words, status] of [
      ["by_request", "will be refused from their next request", 403],
      ["invited", "no longer find the feed", 404],
      ["open", "Every account with a read key will be able to read the feed", 200],
    ] as const) {
      const { asked, answer } = await provider.act(path, { act: "access", access });
      expect(asked).toContain(words);
      expect(await pressed(answer)).toContain("done=access_set");
      expect(await read(feed, consumer)).toBe(status);
    }
    const none = await html(provider.post(path, { act: "access", access: "x" }), 422);
    expect(none).toContain("Choose who can read the feed.");
  });

  test("a suspended feed shows what it is, without a form", async () => {
    const feed = await makeFeed("by_request");
    const path = `/v1/operator/feeds/${feed.id}/suspend`;
    expect((await gateway.send("POST", path, admin, { reason: "r" })).status).toBe(200);
    const page = await html(provider.get(`/feeds/${feed.id}`));
    expect(page).toContain("you decide which of them can read its data");
    expect(page).not.toContain('name="access"');
    await html(provider.get(readersOf(feed)));
  });

  test("readers of another provider's feed are nobody's to see or change", async () => {
    const feed = await makeFeed("by_request");
    const other = await signIn(
      gateway.baseUrl,
      await gateway.createKey(await gateway.createAccount(), "write"),
    );
    const consumer = await makeConsumer();
    await html(other.get(readersOf(feed)), 403);
    const grant = { act: "grant", account_id: consumer.id };
    await html(other.post(readersOf(feed), grant), 403);
    expect(await read(feed, consumer)).toBe(403);
  });
});

describe("tables as files", () => {
  const linesOf = async (who: Visitor, path: string) => {
    const answer = await who.get(path);
    expect([path, answer.status]).toEqual([path, 200]);
    expect(answer.headers.get("content-disposition")).toContain("attachment");
    return (await answer.text()).trim().split("\r\n");
  };

  test("have what the page has, for whoever may see it, and no formulas", async () => {
    const feed = await makeFeed("by_request");
    const consumer = await makeConsumer('=cmd|"x"');
    await press(consumer.page, `/catalog/${feed.id}`, { act: "ask", message: "+1" });
    const request_id = await requestOf(feed, consumer.id);
    await press(provider, readersOf(feed), { act: "approve", request_id });
    await pressed(
      (await provider.act(readersOf(feed), { act: "invite", address: "ada@example.com" })).answer,
    );
    const name = `"'=cmd|""x""",${consumer.id}`;
    for (const [who, path, head, line] of [
      [provider, `${readersOf(feed)}?csv=readers`, "Account,Account ID,Reads,", name],
      [provider, `${readersOf(feed)}?csv=answered`, "Account,Account ID,Answer,", name],
      [provider, `${readersOf(feed)}?csv=invitations`, "Address,Reads,", "ada@example.com,at"],
      [consumer.page, "/access?csv=granted", "Feed,Feed ID,Reads,", `${feed.name},${feed.id}`],
      [consumer.page, "/access?csv=requests", "Feed,Feed ID,Requested,", `${feed.name},${feed.id}`],
    ] as const) {
      const [first = "", second = "", ...others] = await linesOf(who, path);
      expect([path, first.startsWith(head), second.startsWith(line), others]).toEqual([
        path,
        true,
        true,
        [],
      ]);
    }
    const [, asked = ""] = await linesOf(consumer.page, "/access?csv=requests");
    expect(asked).toEndWith(",'+1");
    const other = await signIn(
      gateway.baseUrl,
      await gateway.createKey(await gateway.createAccount(), "write"),
    );
    await html(other.get(`${readersOf(feed)}?csv=readers`), 403);
  });
});

describe("a request", () => {
  test("is asked on the feed's page, approved with one press, and read", async () => {
    const feed = await makeFeed("by_request", { price_type: "metered", price_per_1k: 1 });
    const consumer = await makeConsumer("Acme & Sons");
    const path = `/catalog/${feed.id}`;
    const before = await html(consumer.page.get(path));
    expect(before).toContain("Ask for access");
    expect(before).not.toContain("Try it");
    expect(await press(consumer.page, path, { act: "ask", message: "For\r\nschools" })).toContain(
      "done=access_asked",
    );
    const waiting = await html(consumer.page.get(path));
    expect(waiting).toContain("has not");
    expect(waiting).toContain("For\nschools");
    expect(waiting).not.toContain('value="ask"');
    const twice = await html(consumer.page.post(path, { act: "ask" }), 422);
    expect(twice).toContain("the provider has not answered yet");

    expect(await html(provider.get(""))).toContain("1 request");
    const readers = await html(provider.get(readersOf(feed)));
    expect(readers).toContain("Acme &amp; Sons");
    expect(readers).toContain("For\nschools");
    const approve = {
      act: "approve",
      request_id: await requestOf(feed, consumer.id),
      is_free: "yes",
      last_day: "2999-12-31",
    };
    const to = await press(provider, readersOf(feed), approve);
    expect(to).toContain("done=reader_granted");
    const again = await html(provider.post(readersOf(feed), approve), 422);
    expect(again).toContain("already answered");
    const [grant] = await gateway.sql`
      select is_free, expires_at from access_grants where feed_id = ${feed.id}`;
    expect(JSON.stringify(grant)).toContain("3000-01-01T00:00:00");
    expect(grant?.is_free).toBe(true);

    expect(await read(feed, consumer)).toBe(200);
    const granted = await html(consumer.page.get(path));
    expect(granted).toContain("has granted this account access");
    expect(granted).toContain("Reads are free.");
    expect(granted).toContain("Try it");
    const own = await html(consumer.page.get("/access"));
    expect(own).toContain(`/console/catalog/${feed.id}`);
    expect(own).toContain("approved");
    expect(await html(provider.get(""))).not.toContain("Access requests are waiting");
  });

  test("is declined with a reason after a confirmation, and asked again in 7 days", async () => {
    const feed = await makeFeed("by_request");
    const consumer = await makeConsumer("Declined Inc");
    const path = `/catalog/${feed.id}`;
    await press(consumer.page, path, { act: "ask" });
    const decline = {
      act: "decline",
      request_id: await requestOf(feed, consumer.id),
      account_name: "Declined Inc",
      reason: "Only\n<b>for</b> schools",
    };
    const { asked, answer } = await provider.act(readersOf(feed), decline);
    expect(asked).toContain("The request from Declined Inc will be declined");
    expect(await pressed(answer)).toContain("done=access_declined");
    const page = await html(consumer.page.get(path));
    expect(page).toContain("Only\n&lt;b>for&lt;/b> schools");
    expect(page).toContain("You can ask again from");
    expect(page).not.toContain('value="ask"');
    expect(await html(consumer.page.get("/access"))).toContain("Only\n&lt;b>for&lt;/b> schools");
    const soon = await html(consumer.page.post(path, { act: "ask" }), 422);
    expect(soon).toContain("You can ask again after");
    expect(await read(feed, consumer)).toBe(403);
    const answers = await html(provider.get(readersOf(feed)));
    expect(answers).toContain(`?grant=${consumer.id}#grant`);
    expect(
      fieldsIn(await html(provider.get(`${readersOf(feed)}?grant=${consumer.id}`))),
    ).toMatchObject({ account_id: consumer.id });
    await gateway.sql`
      update access_requests set answered_at = now() - interval '8 days' where feed_id = ${feed.id}`;
    const later = await html(consumer.page.get(path));
    expect(later).toContain('value="ask"');
    expect(later).toContain("declined");
    await press(consumer.page, path, { act: "ask", message: "again" });
  });

  test("that is too long, or at a feed that is open, is refused, and keeps what was typed", async () => {
    const feed = await makeFeed("by_request");
    const consumer = await makeConsumer();
    const message = "m".repeat(2_001);
    const path = `/catalog/${feed.id}`;
    const refused = await html(consumer.page.post(path, { act: "ask", message }), 422);
    expect(refused).toContain(message);
    expect(refused).toContain("message");
    const open = await makeFeed("open");
    const needless = await html(consumer.page.post(`/catalog/${open.id}`, { act: "ask" }), 422);
    expect(needless).toContain("may read this feed now");
    const long = {
      act: "decline",
      request_id: crypto.randomUUID(),
      account_name: "x",
      reason: message,
    };
    await html(provider.post(readersOf(feed), long), 422);
  });
});

describe("readers", () => {
  test("an account is granted access by its id, changed, and ended", async () => {
    const feed = await makeFeed("by_request");
    const consumer = await makeConsumer("Named <i>account</i>");
    const path = readersOf(feed);
    const grant = { act: "grant", account_id: consumer.id, note: "Contract\n17" };
    await press(provider, path, grant);
    expect(await read(feed, consumer)).toBe(200);
    const list = await html(provider.get(path));
    expect(list).toContain("Named &lt;i>account&lt;/i>");
    expect(list).toContain("Contract\n17");
    expect(list).toContain("never");

    await gateway.sql`
      update access_grants set expires_at = '2999-06-01T12:34:56Z' where feed_id = ${feed.id}`;
    const edit = fieldsIn(await html(provider.get(`${path}?edit=${consumer.id}`)));
    expect(edit).toMatchObject({ last_day: expect.any(String), account_id: expect.any(String) });
    const change = {
      act: "change",
      account_id: consumer.id,
      end: "2999-06-01T12:34:56+00:00",
      last_day: "2999-06-01",
      is_free: "yes",
    };
    expect(await press(provider, path, change)).toContain("done=edited");
    const ends = async () =>
      (
        await gateway.sql<{ ends: string; is_free: boolean; note: string | null }[]>`
          select to_char(expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS') as ends, is_free, note
          from access_grants where feed_id = ${feed.id}`
      )[0];
    expect(await ends()).toEqual({ ends: "2999-06-01T12:34:56", is_free: true, note: null });
    await press(provider, path, { ...change, last_day: "2999-06-02" });
    expect((await ends())?.ends).toBe("2999-06-03T00:00:00");
    await press(provider, path, { ...change, last_day: "" });
    expect((await ends())?.ends).toBeNull();

    const end = { act: "end", account_id: consumer.id, account_name: "Named" };
    const { asked, answer } = await provider.act(path, end);
    expect(asked).toContain("The access of Named will end");
    expect(await pressed(answer)).toContain("done=reader_ended");
    expect(await read(feed, consumer)).toBe(403);
    const again = await html(provider.post(path, { ...end, confirmed: "yes" }), 422);
    expect(again).toContain("was not granted access");
    expect(await html(consumer.page.get(`/catalog/${feed.id}`))).toContain("Ask for access");
  });

  test("what no account is, a day that has passed, and a note that is too long are refused", async () => {
    const feed = await makeFeed("by_request");
    const { id } = await makeConsumer();
    const [owner] = await gateway.sql`select account_id from feeds where feed_id = ${feed.id}`;
    for (const [fields, words] of [
      [{ account_id: "nobody" }, "No active account has this id"],
      [{ account_id: crypto.randomUUID() }, "No active account has this id"],
      [{ account_id: owner?.account_id }, "owns the feed"],
      [{ account_id: id, last_day: "2020-01-01" }, "The last day has passed"],
      [{ account_id: id, last_day: "2999-02-31" }, "must be a date such as"],
      [{ account_id: id, last_day: "soon" }, "must be a date such as"],
      [{ account_id: id, note: "n".repeat(2_001) }, "note"],
    ] as const) {
      const sent = { act: "grant", ...fields };
      const page = await html(provider.post(readersOf(feed), sent), 422);
      expect(page).toContain(words);
      // The form is open, with what was typed.
      expect(page).toContain(`value="${sent.account_id}"`);
    }
    await html(provider.post(readersOf(feed), { act: "approve", request_id: "x" }), 422);
    await html(provider.get(`${readersOf(feed)}?edit=x`));
    await html(provider.get(`${readersOf(feed)}?cursor=x`), 400);
    await html(provider.get(`${readersOf(feed)}?offset=x`), 400);
  });

  test("many readers, requests and grants come page by page", async () => {
    const feed = await makeFeed("by_request");
    await gateway.sql`
      with made as (
        insert into accounts (name, max_feeds_allowed)
        select 'Reader number ' || n, 1 from generate_series(1, 120) as n
        returning account_id
      ),
      asked as (
        insert into access_requests (account_id, feed_id, message)
        select account_id, ${feed.id}, 'please' from made
      )
      insert into access_grants (account_id, feed_id)
      select account_id, ${feed.id} from made`;
    const names = new Set<string>();
    const turn = async (link: string) => {
      let pages = 0;
      for (let query: string | undefined = ""; query !== undefined; pages += 1) {
        const page: string = await html(provider.get(`${readersOf(feed)}${query}`));
        for (const [name] of page.matchAll(/Reader number \d+/g)) names.add(name);
        query = new RegExp(`href="(\\?[^"]*)"[^>]*>${link}<`)
          .exec(page)?.[1]
          ?.replaceAll("&amp;", "&");
      }
      return pages;
    };
    expect(await turn("Older grants")).toBe(3);
    expect(names.size).toBe(120);
    names.clear();
    expect(await turn("Older requests")).toBe(6);
    expect(names.size).toBe(120);
  });
});

describe("an invitation of an address", () => {
  const accountOf = async (address: string): Promise<string> => {
    const [row] = await gateway.sql`
      select account_id from members join persons using (person_id) where address_key = ${address}`;
    return present(row).account_id;
  };
  const invitationOf = async ({ id }: Feed): Promise<string> => {
    const [row] = await gateway.sql`
      select invitation_id from access_invitations where feed_id = ${id}`;
    return present(row).invitation_id;
  };

  test("waits for whoever has a session, and is taken for the account that it works in", async () => {
    const feed = await makeFeed("invited");
    const ada = (await join(gateway, "ada@example.com")).visitor();
    const eve = (await join(gateway, "eve@example.com")).visitor();
    expect(await html(ada.get("/access"))).not.toContain("Invitations</h2>");
    const invite = { act: "invite", address: "Ada@example.com", is_free: "yes", note: "<hr>" };
    const { asked, answer } = await provider.act(readersOf(feed), invite);
    expect(asked).toContain("Ada@example.com will be invited for 7 days");
    expect(await pressed(answer)).toContain("done=reader_invited");
    expect(await html(provider.get(readersOf(feed)))).toContain("Ada@example.com");

    expect(await html(ada.get(""))).toContain("invited to read 1 feed");
    const waiting = await html(ada.get("/access"));
    expect(waiting).toContain(feed.name);
    expect(waiting).not.toContain("&lt;hr>");
    const you = await ada.get("/you?download=json");
    expect(await you.json()).toMatchObject({ feed_invitations: [{ feed_name: feed.name }] });

    const take = { act: "take", invitation_id: await invitationOf(feed) };
    expect(await html(eve.get("/access"))).not.toContain(feed.name);
    expect(await html(eve.post("/access", take), 422)).toContain("has expired");
    const key = { key: await gateway.createKey(await accountOf("ada@example.com"), "read") };
    expect(await read(feed, key)).toBe(404);
    expect(await press(ada, "/access", take)).toContain("done=access_taken");
    expect(await read(feed, key)).toBe(200);
    const taken = await html(ada.get("/access"));
    expect(taken).not.toContain("Invitations</h2>");
    expect(taken).toContain(`/console/catalog/${feed.id}`);
    expect(await html(ada.post("/access", take), 422)).toContain("was accepted");
    expect(await html(ada.get(`/catalog/${feed.id}`))).toContain("invited accounts only");
    expect(await html(provider.get(readersOf(feed)))).toContain("No pending invitations");
  });

  test("can't be taken by whoever has signed in with a key, or after it was withdrawn or has ended", async () => {
    const feed = await makeFeed("invited");
    const bob = await join(gateway, "bob@example.com");
    const path = readersOf(feed);
    await provider.act(path, { act: "invite", address: "bob@example.com" });
    const take = { act: "take", invitation_id: await invitationOf(feed) };
    const consumer = await makeConsumer();
    await html(consumer.page.post("/access", take), 422);
    await gateway.sql`
      update access_invitations set ends_at = now() where feed_id = ${feed.id}`;
    await html(bob.visitor().post("/access", take), 422);
    await gateway.sql`
      update access_invitations set ends_at = now() + interval '1 day', expires_at = now() where feed_id = ${feed.id}`;
    expect(await html(bob.visitor().post("/access", take), 422)).toContain("has expired");
    await provider.act(path, { act: "invite", address: "bob@example.com" });
    const withdraw = {
      act: "withdraw",
      invitation_id: await invitationOf(feed),
      address: "bob@example.com",
    };
    const { asked } = await provider.act(path, withdraw);
    expect(asked).toContain("The invitation of bob@example.com");
    await html(
      bob.visitor().post("/access", { act: "take", invitation_id: withdraw.invitation_id }),
      422,
    );
    for (const address of ["", "nobody", "a@b@c", "x".repeat(300)]) {
      await html(provider.post(path, { act: "invite", address }), 422);
    }
  });

  test("to read a feed of one's own account is refused, and stays for another account", async () => {
    const owner = await join(gateway, "owner@example.com");
    const key = await gateway.createKey(await accountOf("owner@example.com"), "write");
    const made = { name: "Own", endpoint_path: "own-feed", access: "invited" };
    const created = await gateway.send("POST", "/v1/provider/feed/create", key, made);
    const { id } = (await created.json()) as { id: string };
    const feed = { id, slug: made.endpoint_path, name: made.name };
    const who = owner.visitor();
    await who.act(readersOf(feed), { act: "invite", address: "owner@example.com" });
    const take = { act: "take", invitation_id: await invitationOf(feed) };
    expect(await html(who.post("/access", take), 422)).toContain("This account owns the feed");
    expect(await invitationOf(feed)).toBe(take.invitation_id);
  });

  test("stays while its person enters the account that owns the feed, and is taken for the next one", async () => {
    const owner = await join(gateway, "host@example.com");
    const account = await accountOf("host@example.com");
    const feed = await makeFeed("invited");
    await gateway.sql`update feeds set account_id = ${account} where feed_id = ${feed.id}`;
    const address = "guest@example.com";
    const guest = await join(gateway, address);
    const own = await accountOf(address);
    await invite(gateway, { admin, account, address, role: "member" });
    await accept(guest);
    await owner.visitor().act(readersOf(feed), { act: "invite", address });
    const enter = (account_id: string) =>
      guest.post("/console/choose", { act: "enter", account_id });
    expect((await enter(account)).status).toBe(303);
    expect(await html(owner.visitor().get(readersOf(feed)))).toContain(address);
    expect((await enter(own)).status).toBe(303);
    expect(await html(guest.visitor().get("/access"))).toContain(feed.name);
  });

  test("a new person's account gets the access when it joins", async () => {
    const feed = await makeFeed("invited");
    await provider.act(readersOf(feed), { act: "invite", address: "new@example.com" });
    const at = await join(gateway, "new@example.com");
    expect(await html(at.visitor().get("/access"))).toContain(feed.name);
  });
});

describe("public pages", () => {
  test("a feed by request says how to ask, and shows the sample and no rows", async () => {
    const feed = await makeFeed("by_request");
    const page = await html(visit(`/feeds/${feed.slug}`));
    expect(page).toContain("Access by request");
    expect(page).toContain(`/console/catalog/${feed.id}`);
    expect(page).toContain(`/v1/feed/${feed.slug}/access-requests`);
    expect(page).toContain("sample-row");
    expect(page).not.toContain("secret-row");
    expect(page).toContain("Up to 10 reads per minute");
    const search = await html(visit(`/?q=${feed.slug}`));
    expect(search).toMatch(/class="badge"[^>]*>by request</);
    const open = await makeFeed("open");
    const other = await html(visit(`/feeds/${open.slug}`));
    expect(other).toContain("secret-row");
    expect(other).not.toContain("Access by request");
  });

  test("a feed by invitation is as one that there is not, whatever it was before", async () => {
    const feed = await makeFeed("open");
    const unknown = { id: crypto.randomUUID(), slug: "there-is-no-such-feed" };
    const paths = ({ id, slug }: Pick<Feed, "id" | "slug">) => [
      `/feeds/${slug}`,
      `/public/feeds/${id}/agent-skill`,
      `/public/feeds/${slug}/agent-skill`,
      `/billing?feed_id=${id}`,
      `/console/catalog/${id}`,
    ];
    for (const path of paths(feed)) {
      expect([path, (await visit(path)).status]).toEqual([path, 200]);
    }
    await provider.act(`/feeds/${feed.id}`, { act: "access", access: "invited" });
    // A page from memory is looked up again after a second.
    await Bun.sleep(1_100);
    const stranger = await makeConsumer();
    const same = async (path: string, cookie?: string) => {
      const headers = { Accept: "text/html", ...(cookie && { cookie }) };
      const answer = await fetch(gateway.baseUrl + path, { headers });
      const text = (await answer.text()).replaceAll(
        /[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f-]{36}/g,
        "ID",
      );
      return {
        status: answer.status,
        text: text.replaceAll(feed.slug, "SLUG").replaceAll(unknown.slug, "SLUG"),
        headers: [...answer.headers].map(([name]) => name).filter((name) => name !== "etag"),
      };
    };
    for (const cookie of [undefined, stranger.page.cookie]) {
      for (const [place, path] of paths(feed).entries()) {
        const found = await same(path, cookie);
        expect([path, found]).toEqual([path, await same(paths(unknown)[place] ?? "", cookie)]);
        expect(found.text).not.toContain(feed.name);
      }
    }
    expect((await visit(`/feeds/${feed.slug}`)).status).toBe(404);
    const sitemap = await (await fetch(`${gateway.baseUrl}/sitemap.xml`)).text();
    expect(sitemap).not.toContain(feed.slug);
  });

  test("whoever may find a feed by invitation is shown it on the billing page, and its purchase", async () => {
    const feed = await makeFeed("invited", { price_type: "one_time", one_time_price_cents: 100 });
    const consumer = await makeConsumer();
    const stranger = await makeConsumer();
    await press(provider, readersOf(feed), { act: "grant", account_id: consumer.id });
    const billing = (who: Consumer) =>
      fetch(`${gateway.baseUrl}/billing?feed_id=${feed.id}`, {
        headers: { Accept: "text/html", cookie: who.page.cookie },
      });
    const page = await html(billing(consumer));
    expect(page).toContain(feed.name);
    // Its public page is for nobody.
    expect(page).not.toContain(`/feeds/${feed.slug}`);
    expect(page).toContain(`./console/catalog/${feed.id}`);
    expect(await html(billing(stranger))).not.toContain(feed.name);
    const path = `/catalog/${feed.id}`;
    expect(await html(consumer.page.get("/catalog"))).toContain("invited accounts only");
    const { answer } = await consumer.page.act(path, { act: "buy", max_credits: "1000000" });
    expect(await pressed(answer)).toContain("done=bought");
    expect(await read(feed, consumer)).toBe(200);
  });

  test("whoever has read a feed before it was by invitation is told no new name of it", async () => {
    const feed = await makeFeed("open");
    const consumer = await makeConsumer();
    expect(await read(feed, consumer)).toBe(200);
    expect(await html(consumer.page.get("/usage"))).toContain(feed.name);
    const edit = { access: "invited", name: "A name of later" };
    const path = `/v1/provider/feed/${feed.id}/edit`;
    expect((await gateway.send("PATCH", path, providerKey, edit)).status).toBe(200);
    const usage = await html(consumer.page.get("/usage"));
    expect(usage).not.toContain("A name of later");
    expect(usage).not.toContain(`/console/catalog/${feed.id}`);
  });
});

describe("hostile texts", () => {
  test("in names, messages, notes and reasons stay texts on every page", async () => {
    const texts = hostileStrings.map(({ text }) => text.replaceAll("\0", "").trim());
    const long = [HOSTILE, ...texts].join("\n").slice(0, 2_000).toWellFormed().trim();
    const feed = await makeFeed("by_request", { name: HOSTILE });
    const invited = await makeFeed("invited", { name: HOSTILE });
    const [one, two] = [await makeConsumer(HOSTILE), await makeConsumer(HOSTILE)];
    const carol = (await join(gateway, "carol@example.com", { name: HOSTILE })).visitor();
    const path = `/catalog/${feed.id}`;
    await press(one.page, path, { act: "ask", message: long });
    await press(two.page, path, { act: "ask", message: long });
    const look = async (who: Visitor, at: string) => {
      const text = await html(who.get(at));
      expect([at, dangersIn(text)]).toEqual([at, []]);
      expect([at, text.match(/<\/(?:title|main|body|html)>/g)]).toEqual([
        at,
        ["</title>", "</main>", "</body>", "</html>"],
      ]);
    };
    await look(provider, readersOf(feed));
    await look(provider, "");
    await look(one.page, path);
    const decline = {
      act: "decline",
      request_id: await requestOf(feed, one.id),
      account_name: HOSTILE,
      reason: long,
    };
    const { asked } = await provider.act(readersOf(feed), decline);
    expect(dangersIn(asked)).toEqual([]);
    await press(provider, readersOf(feed), { act: "grant", account_id: two.id, note: long });
    await provider.act(readersOf(invited), {
      act: "invite",
      address: "carol@example.com",
      note: long,
    });
    for (const [who, at] of [
      [provider, readersOf(feed)],
      [provider, `${readersOf(feed)}?edit=${two.id}&answered`],
      [provider, readersOf(invited)],
      [one.page, path],
      [one.page, "/access"],
      [two.page, path],
      [two.page, "/access"],
      [carol, "/access"],
      [carol, ""],
    ] as const) {
      await look(who, at);
    }
    const refused = await html(
      provider.post(readersOf(feed), { act: "grant", account_id: HOSTILE, note: long }),
      422,
    );
    expect(dangersIn(refused)).toEqual([]);
  });
});
