/**
 * Who plays in a torture: feeds of the three models, free and metered, one-time feeds, and agents with and without
 * much credit.
 *
 * @module
 */
import type { Connections } from "../../src/postgres/client/connect.ts";
import { insertAdminKey, insertKey } from "../support/insert_key.ts";

export type Model = "singleton" | "collection" | "stream";

export interface TortureFeed {
  readonly feedId: string;
  readonly slug: string;
  readonly model: Model;
  readonly isMetered: boolean;
  /** The newest generation (stream: the newest row) that was acknowledged; -1 before the first. */
  acknowledged: number;
  /** Whether a whole import was acknowledged: until then a feed that has no other push may not be found. */
  isImported: boolean;
  /** The newest that was sent. */
  sent: number;
}

export interface AgentKey {
  readonly key: string;
  readonly accountId: string;
  /** On the monotonic clock: from then on it must read nothing. */
  revokedMs: number | undefined;
}

export interface Scene {
  readonly writeKey: string;
  readonly adminKey: string;
  readonly feeds: readonly TortureFeed[];
  /** One-time feeds, each with a document that stays. */
  readonly sold: readonly TortureFeed[];
  /** A collection and a stream that are imported and exported. */
  readonly bulk: readonly TortureFeed[];
  readonly keys: AgentKey[];
  /** Those that walk: none of their keys is revoked. */
  readonly walkers: readonly AgentKey[];
  /** The same for those that follow a stream. */
  readonly followers: readonly AgentKey[];
  /** What an operator suspends and resumes; nobody else uses it. */
  readonly suspendable: {
    readonly agents: readonly AgentKey[];
    readonly feed: TortureFeed;
    /** Reads the feed, and is not suspended. */
    readonly reader: AgentKey;
  };
  /** Gives an account one more key. */
  addKey(accountId: string): Promise<AgentKey>;
  /** An account of which nothing is refused: for looking at the end. */
  addRichAgent(): Promise<AgentKey>;
}

/** What a metered call may cost: the price is edited to and fro. */
export const PRICES_NANOS = [1_500, 2_500] as const;

/** What a one-time feed costs: a dollar. */
export const SOLD_CREDITS = 1_000_000;
const SOLD_FEEDS = 3;

const RICH_NANOS = 10n ** 12n;
/** Enough for some hundred calls: it runs out. */
const POOR_NANOS = 400_000n;
/** So many that a walk rarely waits for a window. */
const WALKERS = 5;
const FOLLOWERS = 4;
const SUSPENDED = 3;

export async function setScene(sql: Connections, agents: number): Promise<Scene> {
  const owner = await addAccount(sql, 0n);
  const writeKey = await insertKey(sql, owner, "write");
  const feeds: TortureFeed[] = [];
  for (const model of ["singleton", "collection", "stream"] as const) {
    for (const isMetered of [false, true]) {
      const slug = `${model}-${isMetered ? "metered" : "free"}`;
      const rows = await sql`
        insert into feeds (
          account_id, name, endpoint_path, feed_type, price_type, call_price_nanos, is_public,
          schema_definition, sync_interval_mins
        )
        values (
          ${owner}, ${slug}, ${slug}, ${model}, ${isMetered ? "metered" : "free"},
          ${isMetered ? PRICES_NANOS[0] : 0}, true, '{"type":"object"}', 1
        )
        returning feed_id`;
      const feedId: string = rows[0]?.feed_id;
      feeds.push({ feedId, slug, model, isMetered, acknowledged: -1, isImported: false, sent: -1 });
    }
  }
  const sold = await Promise.all(
    Array.from({ length: SOLD_FEEDS }, (_, place) => addSoldFeed(sql, owner, `sold-${place}`)),
  );
  const bulk = await Promise.all(
    (["collection", "stream"] as const).map((model) =>
      addFeed(sql, owner, { slug: `bulk-${model}`, model }),
    ),
  );
  const keys: AgentKey[] = [];
  const addKey = async (accountId: string) => ({
    key: await insertKey(sql, accountId, "read"),
    accountId,
    revokedMs: undefined,
  });
  for (let agent = 0; agent < agents; agent++) {
    const accountId = await addAccount(sql, agent % 3 === 0 ? POOR_NANOS : RICH_NANOS);
    keys.push(await addKey(accountId), await addKey(accountId));
  }
  const addRichAgent = async () => addKey(await addAccount(sql, RICH_NANOS));
  const walkers = await Promise.all(Array.from({ length: WALKERS }, addRichAgent));
  const followers = await Promise.all(Array.from({ length: FOLLOWERS }, addRichAgent));
  const { key: adminKey } = await insertAdminKey({ sql }, "torture");
  const suspendable = {
    agents: await Promise.all(Array.from({ length: SUSPENDED }, addRichAgent)),
    feed: await addFeed(sql, owner, { slug: "suspended", model: "singleton" }),
    reader: await addRichAgent(),
  };
  return {
    writeKey,
    adminKey,
    feeds,
    sold,
    bulk,
    keys,
    walkers,
    followers,
    suspendable,
    addKey,
    addRichAgent,
  };
}

/** A metered feed that has no listing. */
async function addFeed(
  sql: Connections,
  owner: string,
  { slug, model }: { readonly slug: string; readonly model: Model },
): Promise<TortureFeed> {
  const rows = await sql`
    insert into feeds (account_id, name, endpoint_path, feed_type, price_type, call_price_nanos)
    values (${owner}, ${slug}, ${slug}, ${model}, 'metered', ${PRICES_NANOS[0]})
    returning feed_id`;
  const feedId: string = rows[0]?.feed_id;
  return { feedId, slug, model, isMetered: true, acknowledged: -1, isImported: false, sent: -1 };
}

async function addSoldFeed(sql: Connections, owner: string, slug: string): Promise<TortureFeed> {
  const rows = await sql`
    insert into feeds (
      account_id, name, endpoint_path, feed_type, price_type, one_time_price_cents, is_public
    )
    values (${owner}, ${slug}, ${slug}, 'singleton', 'one_time', ${SOLD_CREDITS / 10_000}, true)
    returning feed_id`;
  const [feedId, model] = [rows[0]?.feed_id as string, "singleton" as const];
  return { feedId, slug, model, isMetered: false, acknowledged: -1, isImported: false, sent: -1 };
}

async function addAccount(sql: Connections, balanceNanos: bigint): Promise<string> {
  const rows = await sql`
    with account as (
      insert into accounts (name, max_feeds_allowed, balance_nanos)
      values ('torture', 100, ${String(balanceNanos)})
      returning account_id, balance_nanos
    )
    insert into credit_ledger (
      account_id, kind, amount_nanos, balance_before_nanos, balance_after_nanos, reason
    )
    select account_id, 'grant', balance_nanos, 0, balance_nanos, 'torture' from account
    returning account_id`;
  return rows[0]?.account_id;
}
