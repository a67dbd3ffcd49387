import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PROOF_EVENTS_UNASKED_MAX } from "../../../src/limits.ts";
import { CONSUMER_PAGES } from "../../../src/pages/console/consumer/consumer_pages.ts";
import { OPERATOR_PAGES } from "../../../src/pages/console/operator/operator_pages.ts";
import { PROVIDER_PAGES } from "../../../src/pages/console/provider/provider_pages.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { countSales } from "../../support/run_job.ts";
import { seedFeed } from "../../support/seed.ts";
import { type Scene, setScene } from "./scene.ts";
import { fieldsIn, pushFile, signIn } from "./support.ts";

let gateway: TestGateway;
let scene: Scene;

beforeAll(async () => {
  gateway = await startTestGateway();
  scene = await setScene(gateway);
});
afterAll(() => gateway.stop());

async function balanceOf(account: string): Promise<number> {
  const rows = await gateway.sql`
    select balance_nanos from accounts where account_id = ${account}`;
  return Number(rows[0]?.balance_nanos) / 1_000;
}

describe("what a form sends", () => {
  test("a grant needs no second page, and one that is sent twice is made once", async () => {
    const who = await signIn(gateway.baseUrl, scene.adminKey);
    const path = `/accounts/${scene.consumerAccount}/money`;
    const before = await balanceOf(scene.consumerAccount);
    const page = await (await who.get(path)).text();
    const once = page.match(/name="once" value="([\w-]+)"/)?.[1] ?? "";
    expect(once).not.toBe("");
    const grant = { act: "grant", usd_added: "1,005.0075", reason: "twice", once };
    const answers = [await who.post(path, grant), await who.post(path, grant)];
    expect(answers.map(({ status }) => status)).toEqual([303, 303]);
    expect(await balanceOf(scene.consumerAccount)).toBe(before + 1_005_007_500);
    const another = (await (await who.get(path)).text()).match(/name="once" value="([\w-]+)"/)?.[1];
    expect(another).not.toBe(once);
  });

  test("an old form that is sent again does nothing to what has changed since, and a key is made once", async () => {
    const who = await signIn(gateway.baseUrl, scene.adminKey);
    const account = await gateway.createAccount({ name: "Old forms" });
    const path = `/accounts/${account}`;
    const confirm = async (fields: Readonly<Record<string, string>>) => {
      const asking = await (await who.post(path, fields)).text();
      const once = asking.match(/name="once" value="([\w-]+)"/)?.[1] ?? "";
      return () => who.post(path, { ...fields, once, confirmed: "yes" });
    };
    const suspend = await confirm({ act: "suspend", suspend_reason: "old" });
    expect((await suspend()).status).toBe(303);
    expect((await who.post(path, { act: "resume" })).status).toBe(303);
    expect((await suspend()).status).toBe(303);
    const [row] = await gateway.sql`
      select suspension_reason from accounts where account_id = ${account}`;
    expect(row?.suspension_reason).toBeNull();
    const form = await (await who.get(`${path}/keys`)).text();
    const once = form.match(/name="once" value="([\w-]+)"/)?.[1] ?? "";
    const make = () => who.post(`${path}/keys`, { act: "key", permission: "read", once });
    const [first, second] = [await (await make()).text(), await (await make()).text()];
    expect(second.match(/fg_read_\w+/)?.[0]).toBe(first.match(/fg_read_\w+/)?.[0] ?? "none");
    const keys = await gateway.sql`select key_id from api_keys where account_id = ${account}`;
    expect(keys).toHaveLength(1);
  });

  test("a new account leads to its page, which says so if another one has its name", async () => {
    const who = await signIn(gateway.baseUrl, scene.adminKey);
    const fields = { act: "create", new_name: "The only one of its name" };
    for (const done of ["account_created", "account_named_twice"]) {
      const answer = await who.post("/accounts", fields);
      const to = answer.headers.get("location") ?? "";
      expect([answer.status, to]).toEqual([303, expect.stringContaining(`?done=${done}`)]);
      const page = await (await who.get(to.slice(to.indexOf("/accounts/")))).text();
      expect(page).toContain("The only one of its name");
    }
  });

  test("a refused form keeps what was typed, and says why", async () => {
    const who = await signIn(gateway.baseUrl, scene.adminKey);
    const path = `/accounts/${scene.consumerAccount}/money`;
    const take = { act: "take", usd_revoked: "99999", revoke_reason: "keep these words" };
    const { asked, answer } = await who.act(path, take);
    expect(asked).toContain(
      "99,999.00 USD (99,999,000,000 credits) will be deducted from the balance of",
    );
    expect(asked).toContain("Consumer");
    const html = await answer.text();
    expect(answer.status).toBe(422);
    expect(html).toContain('value="keep these words"');
    expect(html).toContain('role="alert"');
  });

  test("what a form was refused leaves the page's other forms as they are", async () => {
    const who = await signIn(gateway.baseUrl, scene.adminKey);
    const path = `/accounts/${scene.consumerAccount}/money`;
    const take = { act: "take", usd_revoked: "5", revoke_reason: "kept", confirmed: "no" };
    const html = await (await who.post(path, take)).text();
    expect(html).toMatch(/<input id="usd_revoked"[^>]* value="5"/);
    expect(html).toMatch(/<input id="usd_added"[^>]* value required/);
    expect(html).toMatch(/<details class="folded" open><summary>Revoke credits/);
  });

  test("every mistake of a refused form is named, each once", async () => {
    const key = await gateway.createKey(await gateway.createAccount(), "write");
    const who = await signIn(gateway.baseUrl, key);
    const wrong = {
      name: "A",
      endpoint_path: "No Slug",
      sync_interval_mins: "x",
      feed_type: "none",
    };
    for (const confirmed of ["", "yes"]) {
      const fields = { ...wrong, price_type: "free", act: "create", confirmed };
      const answer = await who.post("/new", fields);
      const html = await answer.text();
      expect(answer.status).toBe(422);
      const [alert = ""] = html.match(/role="alert".*?<\/div>/s) ?? [];
      for (const name of ["endpoint_path", "sync_interval_mins", "feed_type"]) {
        expect([name, alert.split(`${name} must`).length]).toEqual([name, 2]);
      }
      expect(alert).toContain("Correct it and the errors listed below");
    }
  });

  test("nobody is asked to confirm what can't be done", async () => {
    const who = await signIn(gateway.baseUrl, scene.adminKey);
    const account = `/accounts/${scene.consumerAccount}`;
    for (const [path, fields, words] of [
      [`${account}/money`, { act: "grant", usd_added: "abc", reason: "x" }, "usd must"],
      [`${account}/money`, { act: "take", usd_revoked: "1" }, "reason must"],
      [
        `${account}/settings`,
        { act: "edit", account_name: "", max_feeds: "x" },
        "max_feeds_allowed must",
      ],
      [`${account}/keys`, { act: "key", permission: "read", daily: "-5" }, "usd must"],
      [account, { act: "suspend" }, "reason must"],
      [`${account}/money`, { act: "redeem", code: "a b" }, "code must"],
      ["/money", { act: "payout", payee: "x", usd: "-1", payout_reference: "x" }, "usd must"],
      [
        "/money",
        { act: "payout", payee: "no such", usd: "1", payout_reference: "x" },
        "no account",
      ],
      ["/money", { act: "promotion", code: "a b", promo_usd: "x" }, "usd must"],
      ["/accounts", { act: "create", new_name: "" }, "name must"],
      [`/feeds/${scene.feeds.waiting}`, { act: "decline" }, "reason must"],
    ] as const) {
      const answer = await who.post(path, fields);
      const html = await answer.text();
      expect([path, fields, answer.status]).toEqual([path, fields, 422]);
      expect([path, html.match(/role="alert".*?<\/div>/s)?.[0]]).toEqual([
        path,
        expect.stringContaining(words),
      ]);
    }
  });

  test("a payout is confirmed beside what is owed, more than that only by a tick, and taken back", async () => {
    const who = await signIn(gateway.baseUrl, scene.adminKey);
    const row = { type: "collection", rows: [{ id: 1 }] } as const;
    const seller = await gateway.createAccount({ name: "Owed eight" });
    const sold = await seedFeed(gateway, seller, { ...row, oneTimePriceCents: 800 });
    const buyer = await gateway.createKey(
      await gateway.createAccount({ credits: 8_000_000 }),
      "read",
    );
    const body = { max_credits: 8_000_000 };
    await gateway.send("POST", `/v1/feed/${sold.slug}/purchase`, buyer, body);
    await countSales(gateway.sql);

    // A part of the name, in any case, names the one account that has it.
    const payout = { act: "payout", payee: "owed eig", usd: "999", payout_reference: "typed" };
    const asking = await (await who.post("/money", payout)).text();
    expect(asking).toContain("999.00 USD will be recorded as paid to Owed eight");
    expect(asking).toContain("which is currently owed 8.00 USD");
    expect(fieldsIn(asking).payee).toBe(seller);
    const paying = { ...payout, payee: seller };
    const refused = await who.act("/money", paying);
    expect(refused.answer.status).toBe(422);
    const html = await refused.answer.text();
    expect(html).toContain("999 USD is more than the 8 USD");
    expect(html).toContain('<input id="usd" name="usd" inputmode="decimal" value="999"');
    const recorded = await who.act("/money", { ...paying, allow_above: "yes" });
    expect(recorded.answer.status).toBe(303);
    const [paid] = await gateway.sql`select payout_id from payouts where reference = 'typed'`;
    const undo = {
      act: "undo_payout",
      wrong_payout: String(paid?.payout_id),
      wrong_payee: "Owed eight",
      wrong_usd: "999",
      wrong_reason: "typo",
    };
    const { asked, answer } = await who.act("/money", undo);
    expect(asked).toContain(
      `Payout ${paid?.payout_id} of 999.00 USD to Owed eight will be reversed`,
    );
    expect(answer.headers.get("location")).toContain("done=payout_undone");
    const money = await (await who.get("/money")).text();
    for (const text of [
      "-999.00 USD",
      `reverses payout ${paid?.payout_id}: typo`,
      "Owed to providers",
    ]) {
      expect(money).toContain(text);
    }
    const unknown = await who.post("/money", { ...payout, payee: "nobody" });
    expect(await unknown.text()).toContain("There is no account &quot;nobody&quot;");
  });

  test("older purchases, payouts and codes are reached, each list by itself", async () => {
    const who = await signIn(gateway.baseUrl, scene.adminKey);
    for (let number = 10; number < 32; number += 1) {
      const code = { code: `LISTED-${number}`, credits: 1 };
      await gateway.send("POST", "/v1/operator/promotions", scene.adminKey, code);
      const reference = `paid ${number}`;
      const payout = { account_id: scene.providerAccount, usd: 0.01, reference, allow_above: true };
      await gateway.send("POST", "/v1/operator/payouts", scene.adminKey, payout);
    }
    const first = await (await who.get("/money")).text();
    const nextOf = (html: string, list: string) =>
      html
        .match(new RegExp(`class="button quiet" href="(\\?[^"]*${list}_cursor=[^"]*)">`))?.[1]
        ?.replaceAll("&amp;", "&") ?? "";
    expect([first.includes("LISTED-31"), first.includes("paid 10")]).toEqual([false, false]);
    const codes = await (await who.get(`/money${nextOf(first, "promotions")}`)).text();
    expect([codes.includes("LISTED-31"), codes.includes("paid 10")]).toEqual([true, false]);
    const both = await (await who.get(`/money${nextOf(codes, "payouts")}`)).text();
    expect([both.includes("LISTED-31"), both.includes("paid 10")]).toEqual([true, true]);
  });

  test("a found key and what was typed about it are there after a no, a refusal and a search that finds nothing", async () => {
    const who = await signIn(gateway.baseUrl, scene.adminKey);
    const key = await gateway.createKey(scene.consumerAccount, "read");
    const searched = await (await who.post("/keys", { act: "find", key })).text();
    expect(searched).not.toContain(key);
    const keyId = searched.match(/name="key_id" value="([\w-]+)"/)?.[1] ?? "";
    const path = `/keys?key=${key.slice(0, 12)}`;
    const sent = { key_id: keyId, permission: "read", act: "edit", key_name: "typed", daily: "-5" };
    const asking = await (await who.post(path, { act: "revoke", key_id: keyId })).text();
    expect(asking).toContain(`action="../console${path}"`);
    for (const [place, confirmed, status] of [
      ["/keys", "no", 200],
      [path, "no", 200],
      ["/keys", "", 422],
      [path, "", 422],
    ] as const) {
      const answer = await who.post(place, { ...sent, confirmed });
      const html = await answer.text();
      expect(answer.status).toBe(status);
      expect(html).toContain(keyId);
      expect(html).toMatch(/<input id="key_name"[^>]* value="typed"/);
      expect(html).toMatch(/<input id="daily"[^>]* value="-5"/);
    }
    const unknown = `${key.slice(0, -1)}_`;
    const nothing = await (await who.post("/keys", { act: "find", key: unknown })).text();
    expect(nothing).toMatch(new RegExp(`<input id="key"[^>]* value="${key.slice(0, 12)}"`));
    const id = crypto.randomUUID();
    const none = await (await who.post("/keys", { act: "find", key: id })).text();
    expect(none).toMatch(new RegExp(`<input id="key"[^>]* value="${id}"`));
  });

  test("no button that asks for a confirmation changes anything before", async () => {
    const fields = {
      new_name: "Not made",
      permission: "read",
      credits: "1",
      reason: "none",
      code: "NOTMADE",
      promo_credits: "1",
      name: "Not made",
      endpoint_path: "not-made",
      feed_type: "stream",
      price_type: "free",
      status: "draft",
      max_credits: "1",
    };
    const account = scene.consumerAccount;
    const visits = [
      { key: scene.adminKey, pages: OPERATOR_PAGES, id: { accounts: account } },
      { key: scene.providerKey, pages: PROVIDER_PAGES, id: {} },
      { key: scene.consumerKey, pages: CONSUMER_PAGES, id: { catalog: scene.feeds.once } },
    ] as const;
    const state = async () =>
      (
        await gateway.sql`
          select
            (select count(*) from audit_events) as audited,
            (select count(*) from api_keys) as keys,
            (select count(*) from accounts) as accounts,
            (select count(*) from feeds) as feeds,
            (select count(*) from credit_ledger) as entries,
            (select count(*) from usage_events) as calls_logged,
            (select count(*) from sign_in_links) as links`
      )[0];
    let buttons = 0;
    for (const { key, pages, id } of visits) {
      const who = await signIn(gateway.baseUrl, key);
      for (const { path, acts = {} } of pages) {
        const [folder = ""] = path.split("/");
        const of = Object.entries(id).find(([name]) => name === folder)?.[1];
        const at = path === "" ? "" : `/${path.replace(":id", of ?? scene.feeds.waiting)}`;
        for (const [name, act] of Object.entries(acts)) {
          // What acts at once changes something, and says so beside its button.
          if ("look" in act || act.confirm === undefined) continue;
          const before = await state();
          const answer = await who.post(at, { ...fields, act: name });
          const html = await answer.text();
          expect([at, name, answer.status, await state()]).toEqual([
            at,
            name,
            html.includes("Please confirm") ? 200 : 422,
            before,
          ]);
          buttons += 1;
        }
      }
    }
    expect(buttons).toBeGreaterThan(15);
  });

  test("a file of CSV is stored byte by byte, after its confirmation was sent on", async () => {
    const who = await signIn(gateway.baseUrl, scene.providerKey);
    const path = `/feeds/${scene.feeds.metered}/push`;
    const text = "Two\nlines\r\nand ü";
    const push = (mode: "add" | "replace", csv: string) => pushFile(who, path, { mode, csv });
    const added = await push("add", "id,text\n2,changed\ncsv-1,x\n");
    expect(added.asking).toContain("rows.csv has 2 rows. New IDs will be added");
    expect(added.asking).toMatch(/New rows.*?1<.*Changed rows.*?1</s);
    expect(added.stored).toContain("The other rows did not change.");
    const replaced = await push("replace", `id,text\ncsv-1,"${text}"\ncsv-2,x\n`);
    expect(replaced.asking).toContain("rows.csv will replace all rows: the feed has 3 rows now");
    expect(replaced.stored).toMatch(
      /the feed had 3 rows before, and now has the file(?:&#39;|')s 2 rows/,
    );
    const rows = await gateway.sql`
      select row_id, payload ->> 'text' as text
      from collection_rows
      join feeds using (feed_id)
      where feed_id = ${scene.feeds.metered} and batch_number = current_batch
      order by row_id`;
    expect([...rows]).toEqual([
      { row_id: "csv-1", text },
      { row_id: "csv-2", text: "x" },
    ]);
    const refused = await push("add", "id,text\n3,a\n4\n");
    expect(refused.asking).toContain("line 3: the line has 1 value, and the header 2 columns");
    const unfit = await push("add", "id\n3\n\n4\n");
    expect(unfit.asking).toContain("line 2: must have the property");
    expect(unfit.asking).toContain("line 4: must have the property");
    const many = await push("add", `id,text\n${"x,y\n".repeat(501)}`);
    expect(many.asking).toContain("has 501 rows; this page adds up to 500 at a time");
  });

  test("the page of a push says what a file does to this kind of feed", async () => {
    const key = await gateway.createKey(await gateway.createAccount(), "write");
    const who = await signIn(gateway.baseUrl, key);
    for (const [type, lead, sentence] of [
      [
        "collection",
        "Either all rows of a file are stored or none",
        "a.csv has 1 row, the first of this feed",
      ],
      [
        "stream",
        "a longer file is stored up to its first invalid line",
        "a.csv has 1 event. All of its events",
      ],
      [
        "singleton",
        "one JSON object",
        "the feed is a singleton (one JSON object), but a.csv contains rows",
      ],
      [null, "rows make it a collection", "the first of this feed"],
    ] as const) {
      const created = await gateway.send("POST", "/v1/provider/feed/create", key, {
        name: `A ${type}`,
        endpoint_path: `pushed-${type}`,
        ...(type !== null && { feed_type: type }),
      });
      const { id } = (await created.json()) as { id: string };
      const page = await (await who.get(`/feeds/${id}/push`)).text();
      expect(page).toContain(lead);
      expect(page).not.toContain("Replace all");
      const form = new FormData();
      form.set("act", "push");
      form.set("file", new File(["id\na\n"], "a.csv"));
      expect(await (await who.post(`/feeds/${id}/push`, form)).text()).toContain(sentence);
    }
    const page = await (await signIn(gateway.baseUrl, scene.providerKey)).get(
      `/feeds/${scene.feeds.metered}/push`,
    );
    expect(await page.text()).toMatch(/Add and change.*Replace all.*--batch/s);
  });

  test("an account whose log is long is proven when that is asked", async () => {
    const account = await gateway.createAccount({ credits: 3, name: "Reads much" });
    const who = await signIn(gateway.baseUrl, scene.adminKey);
    const path = `/accounts/${account}/money`;
    expect(await (await who.get(path)).text()).toContain("checked just now");
    await gateway.sql`
      insert into usage_events (usage_id, account_id, operation, charge_nanos, happened_at)
      select
        (lpad(to_hex(floor(extract(epoch from now()) * 1000)::bigint), 12, '0') || '70008' || lpad(to_hex(number), 15, '0'))::uuid,
        ${account}, 'catalog', 0, now()
      from generate_series(1, ${PROOF_EVENTS_UNASKED_MAX + 1}::int) as number`;
    const unproven = await (await who.get(path)).text();
    expect(unproven).toContain("not checked");
    expect(unproven).not.toContain("0.000003 granted");
    expect(unproven).toContain('href="?prove=yes"');
    const proven = await (await who.get(`${path}?prove=yes`)).text();
    expect(proven).toContain("checked just now");
    expect(proven).toContain("0.000003 granted");
  });

  test("the overview lists late feeds, unless the job has just found that none is late", async () => {
    const who = await signIn(gateway.baseUrl, scene.adminKey);
    const { metered } = scene.feeds;
    const [before] = await gateway.sql`
      select last_sync_at from feeds where feed_id = ${metered}`;
    const lateFeeds = async () =>
      (await (await who.get("")).text()).split("<h2>Late feeds</h2>")[1] ?? "";
    const note = (amount: number, ago: string) => gateway.sql`
      insert into findings (name, amount, found_at)
      values ('overdue feeds', ${amount}, now() - ${ago}::interval)
      on conflict (name) do update set amount = excluded.amount, found_at = excluded.found_at`;
    // The gateway's own job may note the truth meanwhile.
    await gateway.sql`update feeds set last_sync_at = now() - interval '1 day' where feed_id = ${metered}`;
    await note(1, "1 second");
    expect(await lateFeeds()).toContain(`/feeds/${metered}"`);
    await note(0, "1 hour");
    expect(await lateFeeds()).toContain(`/feeds/${metered}"`);
    await gateway.sql`
      update feeds set last_sync_at = ${before?.last_sync_at} where feed_id = ${metered}`;
    await note(0, "1 second");
    expect(await lateFeeds()).toContain("All feeds are up to date");
  });

  test("a listing that is saved as it is stays as it is, to the order of keys and the digits of numbers", async () => {
    const key = await gateway.createKey(await gateway.createAccount(), "write");
    const slug = `kept-${crypto.randomUUID().slice(0, 8)}x`;
    const sample =
      '{"id":"a <b> & \\"c\\"","10":1.50,"2":12345678901234567890,"1":{"z":[],"0":1e2}}';
    const schema =
      '{"type":"object","properties":{"id":{"type":"string"},"10":{"minimum":1.0},"2":{}}}';
    const created = await fetch(`${gateway.baseUrl}/v1/provider/feed/create`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: `{"name":"Kept","endpoint_path":"${slug}","description":"As it is","sample_response":${sample},"schema_definition":${schema}}`,
    });
    expect(created.status).toBe(201);
    const { id } = (await created.json()) as { id: string };
    const stored = async () => {
      const [row] = await gateway.sql`
        select feed_type, sample_response::text as sample, schema_definition::text as schema, schema_changed_at,
          description, category, status, schema_version::text as version, sync_interval_mins
        from feeds where feed_id = ${id}`;
      return row;
    };
    const before = await stored();
    expect(before).toMatchObject({ feed_type: null, sample, schema });
    const who = await signIn(gateway.baseUrl, key);
    const path = `/feeds/${id}/edit`;
    const fields = fieldsIn(await (await who.get(path)).text());
    expect(fields.sample_response).toContain('"10": 1.50,\n  "2": 12345678901234567890');
    const { asked } = await who.act(path, { ...fields, act: "save" });
    expect(asked).toContain("Its schema does not change.");
    expect(await stored()).toEqual(before);
    await who.act(path, { ...fields, act: "save", description: "Edited" });
    expect(await stored()).toEqual({ ...before, description: "Edited" });
  });

  test("a sentence in an address is not shown", async () => {
    const who = await signIn(gateway.baseUrl, scene.adminKey);
    const html = await (await who.get("?done=You+have+won")).text();
    expect(html).not.toContain("You have won");
  });
});
