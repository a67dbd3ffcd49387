/**
 * The client: one object for one gateway and one key.
 *
 * @module
 */
import { IdempotencyKeyStaleError } from "./errors.ts";
import { type ExportOptions, exportRows } from "./export.ts";
import { type FollowOptions, follow } from "./follow.ts";
import { type ImportFile, type ImportOptions, importFile } from "./import.ts";
import { memberTexts } from "./json_texts.ts";
import { type ParseRow, readPage } from "./pages.ts";
import { type PushOptions, type PushRow, type PushRows, pushDocument, pushRows } from "./push.ts";
import {
  feedPath,
  idQueries,
  ownFeedPath,
  queryOf,
  type ReadOptions,
  randomKey,
  randomUuid,
  readHeaders,
  readQuery,
} from "./query.ts";
import type { Patience } from "./retry.ts";
import {
  type Call,
  type Fetch,
  type Retry,
  Transport,
  type TransportOptions,
} from "./transport.ts";
import type {
  AccessRequest,
  AccessRequests,
  Account,
  Bought,
  CallOptions,
  Catalog,
  ExportPart,
  FeedChanges,
  FeedMetadata,
  FeedReader,
  FeedReaders,
  ImportReceipt,
  JsonObject,
  NewFeed,
  OwnFeeds,
  Purchases,
  PushSummary,
  ReaderInvitation,
  ReaderInvitations,
  ReadPage,
  SearchResults,
  StreamPage,
  Usage,
  WrittenFeed,
} from "./types.ts";
import { Webhooks } from "./webhooks.ts";

/** Options of a client. */
export interface FeedgateOptions<Row> extends Partial<Patience> {
  /** The gateway's address, such as `https://feeds.example.com`. */
  readonly url: string | URL;
  /** A read key for reading, a write key for pushing. */
  readonly key?: string | undefined;
  /**
   * Creates a row from its JSON text. `JSON.parse` loses digits of integers beyond 2^53 and of long decimals. If you
   * need them, pass a parser that keeps them. The text is exactly as the provider pushed it.
   *
   * @default JSON.parse
   */
  readonly parseRow?: ParseRow<Row> | undefined;
  /**
   * The same for other JSON from the provider: `schema_definition` and `sample_response`.
   *
   * @default JSON.parse
   */
  readonly parseJson?: ((text: string) => unknown) | undefined;
  /** Timeout of a call, in ms. @default 60_000 */
  readonly timeoutMs?: number | undefined;
  /**
   * Size of the response cache, in characters. Cached responses are revalidated by their ETags; unchanged ones are
   * free. 0 disables the cache.
   *
   * @default 8_388_608
   */
  readonly cacheCharsMax?: number | undefined;
  /** Called before each pause: a limit was reached, the gateway is unavailable, or a connection broke. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** @default the runtime's */
  readonly fetch?: Fetch | undefined;
}

/** A page of a list by offset. */
export interface OffsetPageOptions extends CallOptions {
  /** 1 to 100. @default 20 */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** Options of a search. */
export interface SearchOptions extends OffsetPageOptions {
  readonly category?: string | undefined;
}

/** A page of a list by cursor. */
export interface CursorPageOptions extends CallOptions {
  /** 1 to 100. @default 20 */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** A filter on the usage log. */
export interface UsageOptions extends CursorPageOptions {
  readonly feedId?: string | undefined;
  readonly keyId?: string | undefined;
  /** Inclusive bounds, RFC 3339. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** The terms of an account's access to a feed, which its provider sets. */
export interface AccessTerms {
  /** Whether the account reads for free. @default false */
  readonly isFree?: boolean | undefined;
  /** When the grant ends, RFC 3339. @default never */
  readonly expiresAt?: string | undefined;
}

/** The same, with a private note of the provider. */
export interface ReaderTerms extends AccessTerms {
  /** At most 2,000 characters, shown only to the provider. */
  readonly note?: string | undefined;
}

/** A filter on requests for access to a feed. */
export interface FeedAccessRequestsOptions extends CursorPageOptions {
  readonly status?: AccessRequest["status"] | undefined;
}

const RETRIES = 8;
const WAIT_MS_MAX = 120_000;
const PAUSE_MS_MAX = 15_000;
const TIMEOUT_MS = 60_000;
const CACHE_CHARS_MAX = 8 * 1_024 * 1_024;
const PAGE_ROWS = 100;

/**
 * A client for one gateway, for agents and providers.
 *
 * ```ts
 * const feedgate = new Feedgate({ url: "https://feeds.example.com", key: "fg_read_…" });
 * for await (const row of feedgate.rows("gold-prices")) console.log(row);
 * ```
 */
export class Feedgate<Row = JsonObject> {
  /** The addresses that notices are sent to. */
  readonly webhooks: Webhooks;
  readonly #options: TransportOptions;
  readonly #transport: Transport;
  readonly #parseRow: ParseRow<Row> | undefined;
  readonly #parseJson: (text: string) => unknown;

  constructor(options: FeedgateOptions<Row>) {
    const { url, key, parseRow, parseJson = JSON.parse, onRetry, fetch: given = fetch } = options;
    const { href, protocol } = new URL(url);
    if (protocol !== "http:" && protocol !== "https:") {
      throw new TypeError(`url must begin with http:// or https://, got "${url}"`);
    }
    this.#parseRow = parseRow;
    this.#parseJson = (text) => parseJson(text);
    this.#options = {
      baseUrl: href.replace(/\/+$/, ""),
      key,
      // In browsers, `fetch` must be called on the window or on nothing.
      fetch: (url, init) => given(url, init),
      onRetry,
      retries: options.retries ?? RETRIES,
      waitMsMax: options.waitMsMax ?? WAIT_MS_MAX,
      pauseMsMax: options.pauseMsMax ?? PAUSE_MS_MAX,
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
      cacheCharsMax: options.cacheCharsMax ?? CACHE_CHARS_MAX,
    };
    this.#transport = new Transport(this.#options);
    this.webhooks = new Webhooks(this.#transport, key);
  }

  /** Public feeds that match the words, best first. Free. */
  search(words: string, { category, limit, offset, signal }: SearchOptions = {}) {
    const query = queryOf({ q: words, category, limit, offset });
    return this.#json<SearchResults>({ path: `/search${query}`, isTagged: true, signal });
  }

  /** All public feeds, newest first. Free. */
  catalog({ limit, offset, signal }: OffsetPageOptions = {}) {
    const query = queryOf({ limit, offset });
    return this.#json<Catalog>({ path: `/catalog${query}`, isTagged: true, signal });
  }

  /** Schema, sample, price and size of a feed, by its id or slug. Free. */
  describe(feed: string, { signal }: CallOptions = {}) {
    return this.#feed<FeedMetadata>({ path: feedPath(feed, "/metadata"), isTagged: true, signal });
  }

  /** One page of a feed, or a singleton's document. */
  async read(feed: string, options: ReadOptions = {}): Promise<ReadPage<Row>> {
    const path = feedPath(feed, readQuery(options));
    return readPage(await this.#read({ path, isTagged: true }, options), this.#parseRow);
  }

  /** All pages of a feed, with each row once. @throws {CursorExpiredError} if reading takes too long */
  async *pages(feed: string, options: ReadOptions = {}): AsyncGenerator<ReadPage<Row>, void, void> {
    const { offset, ...rest } = { limit: PAGE_ROWS, ...options };
    let next: ReadOptions = { ...rest, offset };
    for (;;) {
      const page = readPage(
        await this.#read({ path: feedPath(feed, readQuery(next)) }, next),
        this.#parseRow,
      );
      yield page;
      if (page.nextCursor === null) return;
      // A key is valid for one page.
      next = { ...rest, cursor: page.nextCursor, idempotencyKey: undefined };
    }
  }

  /** All rows of a feed, each once. @throws {CursorExpiredError} if reading takes too long */
  async *rows(feed: string, options: ReadOptions = {}): AsyncGenerator<Row, void, void> {
    for await (const { rows } of this.pages(feed, options)) yield* rows;
  }

  /**
   * All rows of one version of a collection or a stream, in arrival order: one call instead of many pages, at the same
   * price. A gateway allows 6 exports of a feed per hour.
   */
  exportRows(
    feed: string,
    options: ExportOptions = {},
  ): AsyncGenerator<ExportPart<Row>, void, void> {
    const exporter = {
      transport: this.#transport,
      options: this.#options,
      parseRow: this.#parseRow,
    };
    return exportRows(exporter, feed, options);
  }

  /** Records by id, in the given order. Unknown ids are omitted. Every 100 ids count as one read. */
  async records(
    feed: string,
    ids: Iterable<string | number>,
    options: Pick<ReadOptions, "signal" | "maxCredits"> = {},
  ): Promise<Row[]> {
    const found: Row[] = [];
    for (const query of idQueries(ids)) {
      const text = await this.#read({ path: feedPath(feed, query), isTagged: true }, options);
      found.push(...readPage(text, this.#parseRow).rows);
    }
    return found;
  }

  /** The events of a stream as they arrive; never ends. See `follow.ts`. */
  follow(feed: string, options: FollowOptions = {}): AsyncGenerator<StreamPage<Row>, void, void> {
    const follower = {
      transport: this.#transport,
      options: this.#options,
      parseRow: this.#parseRow,
    };
    return follow(follower, feed, options);
  }

  /** Balance, budget and limits. Free. */
  account({ signal }: CallOptions = {}) {
    return this.#json<Account>({ path: "/account", signal });
  }

  /** A page of the usage log, newest first. Free. */
  usage({ feedId, keyId, since, until, limit, cursor, signal }: UsageOptions = {}) {
    const query = queryOf({ feed_id: feedId, key_id: keyId, since, until, limit, cursor });
    return this.#json<Usage>({ path: `/usage${query}`, signal });
  }

  /** Buys a feed with a one-time price, for at most `maxCredits`. If the feed is already bought, nothing is charged. */
  buy(
    feed: string,
    { maxCredits, signal }: CallOptions & { readonly maxCredits: number },
  ): Promise<Bought> {
    return this.#json<Bought>({
      method: "POST",
      path: feedPath(feed, "/purchase"),
      headers: { "Idempotency-Key": randomKey() },
      body: JSON.stringify({ max_credits: maxCredits }),
      signal,
    });
  }

  /** A page of purchases, newest first. */
  purchases({ limit, cursor, signal }: CursorPageOptions = {}) {
    return this.#json<Purchases>({ path: `/purchases${queryOf({ limit, cursor })}`, signal });
  }

  /**
   * Asks the provider of a feed to let the account read it. If the response is lost, the retry is refused, because the
   * request is already pending.
   *
   * @throws {AccessRequestedError} while a request is pending, and for 7 days after it was declined
   * @throws {AccessNotNeededError} if the account can read the feed
   */
  requestAccess(
    feed: string,
    { message, signal }: CallOptions & { readonly message?: string | undefined } = {},
  ): Promise<AccessRequest> {
    return this.#json<AccessRequest>({
      method: "POST",
      path: feedPath(feed, "/access-requests"),
      body: JSON.stringify({ message }),
      isOnce: true,
      signal,
    });
  }

  /** A page of the account's requests for access, newest first, with the providers' answers. */
  accessRequests({ limit, cursor, signal }: CursorPageOptions = {}) {
    const query = queryOf({ limit, cursor });
    return this.#json<AccessRequests>({ path: `/account/access-requests${query}`, signal });
  }

  /**
   * Pushes any number of rows, or a singleton's document. Needs a write key.
   *
   * @throws {ProblemError} with `rowsBefore`, the number of rows that earlier requests stored
   */
  push(feed: string, payload: PushRows | PushRow, options: PushOptions = {}): Promise<PushSummary> {
    const transport = this.#transport;
    return isMany(payload)
      ? pushRows(transport, { feed, rows: payload, options })
      : pushDocument(transport, { feed, document: payload, options });
  }

  /**
   * Imports a file of rows as one push: replaces all rows of a collection, or adds the events that a stream does not
   * contain yet. Needs a write key.
   */
  importFile(feed: string, file: ImportFile, options: ImportOptions): Promise<ImportReceipt> {
    return importFile(this.#transport, { feed, file, options });
  }

  /** A page of the account's own feeds, drafts included. Needs a write key. */
  ownFeeds({ limit, offset, signal }: OffsetPageOptions = {}) {
    return this.#json<OwnFeeds>({ path: `/provider/feeds${queryOf({ limit, offset })}`, signal });
  }

  /** Creates a feed. Needs a write key. */
  createFeed(feed: NewFeed, { signal }: CallOptions = {}): Promise<WrittenFeed> {
    // With an id from the client, a retry finds a feed that was created although the response was lost.
    const body = JSON.stringify({ id: randomUuid(), ...feed });
    return this.#feed<WrittenFeed>({ method: "POST", path: "/provider/feed/create", body, signal });
  }

  /** Changes only the given fields. Needs a write key. */
  editFeed(feed: string, changes: FeedChanges, { signal }: CallOptions = {}): Promise<WrittenFeed> {
    const path = ownFeedPath(feed, "/edit");
    const body = JSON.stringify(changes);
    return this.#feed<WrittenFeed>({ method: "PATCH", path, body, signal });
  }

  /** A page of the accounts that were granted access to a feed, newest first. Needs a write key. */
  readers(feed: string, { limit, cursor, signal }: CursorPageOptions = {}) {
    const path = ownFeedPath(feed, `/readers${queryOf({ limit, cursor })}`);
    return this.#json<FeedReaders>({ path, signal });
  }

  /** The grant of an account. Needs a write key. @throws {ReaderNotFoundError} */
  reader(feed: string, accountId: string, { signal }: CallOptions = {}): Promise<FeedReader> {
    const path = ownFeedPath(feed, `/readers/${encodeURIComponent(accountId)}`);
    return this.#json<FeedReader>({ path, signal });
  }

  /**
   * Grants an account access to a feed, or replaces the terms of its grant. Also approves a pending request of the
   * account. Needs a write key.
   */
  setReader(
    feed: string,
    accountId: string,
    { signal, ...terms }: ReaderTerms & CallOptions = {},
  ): Promise<FeedReader> {
    const path = ownFeedPath(feed, `/readers/${encodeURIComponent(accountId)}`);
    const body = JSON.stringify(termsOf(terms));
    return this.#json<FeedReader>({ method: "PUT", path, body, signal });
  }

  /** Revokes an account's grant, starting with its next read. Needs a write key. */
  async removeReader(feed: string, accountId: string, { signal }: CallOptions = {}): Promise<void> {
    const path = ownFeedPath(feed, `/readers/${encodeURIComponent(accountId)}`);
    await this.#transport.call({ method: "DELETE", path, signal });
  }

  /** A page of the requests for access to a feed, newest first. Needs a write key. */
  feedAccessRequests(
    feed: string,
    { status, limit, cursor, signal }: FeedAccessRequestsOptions = {},
  ) {
    const query = queryOf({ status, limit, cursor });
    const path = ownFeedPath(feed, `/access-requests${query}`);
    return this.#json<AccessRequests>({ path, signal });
  }

  /** Approves a request, which grants access. Needs a write key. @throws {AccessAnsweredError} */
  approveAccess(
    feed: string,
    requestId: string,
    { signal, ...terms }: AccessTerms & CallOptions = {},
  ): Promise<AccessRequest> {
    const path = ownFeedPath(feed, `/access-requests/${encodeURIComponent(requestId)}/approve`);
    const body = JSON.stringify(termsOf(terms));
    return this.#json<AccessRequest>({ method: "POST", path, body, signal });
  }

  /** Declines a request. The account can read the reason. Needs a write key. @throws {AccessAnsweredError} */
  declineAccess(
    feed: string,
    requestId: string,
    { reason, signal }: CallOptions & { readonly reason?: string | undefined } = {},
  ): Promise<AccessRequest> {
    const path = ownFeedPath(feed, `/access-requests/${encodeURIComponent(requestId)}/decline`);
    const body = JSON.stringify({ reason });
    return this.#json<AccessRequest>({ method: "POST", path, body, signal });
  }

  /** Invites an email address to read a feed: whoever verifies it gets access for their account. Needs a write key. */
  inviteReader(
    feed: string,
    address: string,
    { signal, ...terms }: ReaderTerms & CallOptions = {},
  ): Promise<ReaderInvitation> {
    const path = ownFeedPath(feed, "/reader-invitations");
    const body = JSON.stringify({ address, ...termsOf(terms) });
    return this.#json<ReaderInvitation>({ method: "POST", path, body, signal });
  }

  /** The open invitations to read a feed, oldest first. Needs a write key. */
  readerInvitations(feed: string, { signal }: CallOptions = {}) {
    const path = ownFeedPath(feed, "/reader-invitations");
    return this.#json<ReaderInvitations>({ path, signal });
  }

  /** Withdraws an invitation. Needs a write key. */
  async withdrawReaderInvitation(
    feed: string,
    invitationId: string,
    { signal }: CallOptions = {},
  ): Promise<void> {
    const path = ownFeedPath(feed, `/reader-invitations/${encodeURIComponent(invitationId)}`);
    await this.#transport.call({ method: "DELETE", path, signal });
  }

  /** A read that is charged once, regardless of retries. */
  async #read(
    call: Call,
    options: Pick<ReadOptions, "signal" | "maxCredits" | "idempotencyKey">,
  ): Promise<string> {
    const { signal, idempotencyKey } = options;
    const ask = async (key: string) => {
      const headers = readHeaders(options, key);
      return (await this.#transport.call({ ...call, headers, signal })).text;
    };
    if (idempotencyKey !== undefined) return ask(idempotencyKey);
    try {
      return await ask(randomKey());
    } catch (error) {
      // A response was lost and the data has since changed, so reading the current data is a new read.
      if (error instanceof IdempotencyKeyStaleError) return ask(randomKey());
      throw error;
    }
  }

  /** A feed, with its provider's JSON parsed by `parseJson`. */
  async #feed<Body extends FeedMetadata | WrittenFeed>(call: Call): Promise<Body> {
    const { text } = await this.#transport.call(call);
    const body: Body = JSON.parse(text);
    const members = memberTexts(text);
    for (const name of ["schema_definition", "sample_response"] as const) {
      const written = members.get(name);
      if (written !== undefined) body[name] = this.#parseJson(written);
    }
    return body;
  }

  async #json<Body>(call: Call): Promise<Body> {
    return JSON.parse((await this.#transport.call(call)).text);
  }
}

/** Terms with the names of the API. */
function termsOf({ isFree, expiresAt, note }: ReaderTerms) {
  return { is_free: isFree, expires_at: expiresAt, note };
}

/** A string is one document, although it is iterable. */
function isMany(payload: PushRows | PushRow): payload is PushRows {
  return (
    typeof payload === "object" && (Symbol.iterator in payload || Symbol.asyncIterator in payload)
  );
}
