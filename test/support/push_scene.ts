/**
 * A provider with feeds for the tests of push, and access to what was stored.
 *
 * @module
 */
import { startTestGateway, type TestGateway } from "./gateway.ts";
import { checkDetail } from "./problem_detail.ts";

export interface Pushed {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: answers are compared as a client would see them
  readonly body: any;
}

export interface FeedOptions {
  readonly type?: "singleton" | "collection" | "stream";
  readonly status?: string;
  /** The schema, which is locked. */
  readonly schema?: unknown;
}

export interface PushOptions {
  readonly key?: string | undefined;
  /** Includes its question mark. */
  readonly query?: string;
  readonly headers?: Record<string, string>;
}

export interface PushScene {
  readonly gateway: TestGateway;
  readonly accountId: string;
  readonly key: string;
  /** Creates a feed as the route would. Returns its id. */
  createFeed(options?: FeedOptions): Promise<string>;
  push(feedId: string, body: unknown, options?: PushOptions): Promise<Pushed>;
  /** The feed's row. */
  // biome-ignore lint/suspicious/noExplicitAny: columns of a row
  feed(feedId: string): Promise<any>;
  /** The texts that readers of a collection see, in order. */
  shown(feedId: string): Promise<string[]>;
  /** The texts of a stream's events, in order of arrival. */
  events(feedId: string): Promise<string[]>;
  document(feedId: string): Promise<string | undefined>;
  /** The history, oldest first. */
  // biome-ignore lint/suspicious/noExplicitAny: columns of a row
  history(feedId: string): Promise<any[]>;
}

/** Starts a gateway with a push limit that no test reaches, unless the environment sets one. */
export async function startPushScene(environment: Record<string, string> = {}): Promise<PushScene> {
  const gateway = await startTestGateway({ FEEDGATE_PUSH_LIMIT: "100000", ...environment });
  const { sql } = gateway;
  const accountId = await gateway.createAccount();
  const key = await gateway.createKey(accountId, "write");
  const texts = async (query: Promise<readonly { payload: string }[]>) =>
    (await query).map(({ payload }) => payload);
  return {
    gateway,
    accountId,
    key,
    async createFeed({ type, status = "draft", schema } = {}) {
      const slug = `feed-${crypto.randomUUID().slice(0, 8)}x`;
      const rows = await sql`
        insert into feeds (
          account_id, name, endpoint_path, feed_type, status, call_price_nanos,
          schema_definition, schema_locked
        )
        values (
          ${accountId}, 'Pushed', ${slug}, ${type ?? null}, ${status}, 0,
          ${schema === undefined ? null : JSON.stringify(schema)}, ${schema !== undefined}
        )
        returning feed_id`;
      return rows[0]?.feed_id;
    },
    async push(feedId, body, options = {}) {
      const path = `/v1/provider/feed/${feedId}/push${options.query ?? ""}`;
      const sender = "key" in options ? options.key : key;
      const response = await gateway.send("POST", path, sender, body, options.headers);
      const answer = await response.json();
      checkDetail(answer);
      return { status: response.status, headers: response.headers, body: answer };
    },
    async feed(feedId) {
      return (await sql`select * from feeds where feed_id = ${feedId}`)[0];
    },
    shown: (feedId) =>
      texts(
        sql`
        select payload
        from collection_rows
        join feeds on feeds.feed_id = collection_rows.feed_id
          and feeds.current_batch = collection_rows.batch_number
        where feeds.feed_id = ${feedId}
        order by position` as never,
      ),
    events: (feedId) =>
      texts(
        sql`
        select payload from stream_events where feed_id = ${feedId} order by position` as never,
      ),
    async document(feedId) {
      return (await sql`select payload from documents where feed_id = ${feedId}`)[0]?.payload;
    },
    history: (feedId) =>
      sql`select * from pushes where feed_id = ${feedId} order by push_id` as never,
  };
}
