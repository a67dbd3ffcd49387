/**
 * The client of one gateway, with one key.
 *
 * @module
 */
import { chargedRead } from "./charged_read.ts";
import { type ExportOptions, exportRows } from "./export.ts";
import { type FollowOptions, follow } from "./follow.ts";
import { headerMistake } from "./header_value.ts";
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
  /** The key to send: a read key to find, read and buy feeds, or a write key to publish them. */
  readonly key?: string | undefined;
  /**
   * Parses a row from its JSON text, which is exactly as the provider pushed it. `JSON.parse` loses digits of integers
   * beyond 2^53 and of long decimals; to keep them, pass a parser that does.
   *
   * @default JSON.parse
   */
  readonly parseRow?: ParseRow<Row> | undefined;
  /**
   * Parses the provider's other JSON: `schema_definition` and `sample_response`.
   *
   * @default JSON.parse
   */
  readonly parseJson?: ((text: string) => unknown) | undefined;
  /**
   * The time limit of each try until the complete response has arrived, in ms. Does not apply to `exportRows`,
   * `importFile` and the live connection of `follow`.
   *
   * @default 60_000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * The size of the response cache, in characters. Cached responses are revalidated by their `ETag`, which is free if
   * nothing has changed. 0 disables the cache.
   *
   * @default 8_388_608
   */
  readonly cacheCharsMax?: number | undefined;
  /** Called before each wait: after a limit was reached, the gateway was unavailable, or a connection broke. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** Sends the requests. @default the runtime's `fetch` */
  readonly fetch?: Fetch | undefined;
}

/** Selects a page of a list by offset. */
export interface OffsetPageOptions extends CallOptions {
  /** Entries per page, 1 to 100. @default 20 */
  readonly limit?: number | undefined;
  /** Entries to skip. @default 0 */
  readonly offset?: number | undefined;
}

/** Options of a search. */
export interface SearchOptions extends OffsetPageOptions {
  /** Returns only feeds of this category. */
  readonly category?: string | undefined;
}

/** Selects a page of a list by cursor. */
export interface CursorPageOptions extends CallOptions {
  /** Entries per page, 1 to 100. @default 20 */
  readonly limit?: number | undefined;
  /** `next_cursor` of the previous page. @default the first page */
  readonly cursor?: string | undefined;
}

/** Selects entries of the usage log. */
export interface UsageOptions extends CursorPageOptions {
  /** Returns only calls for this feed. */
  readonly feedId?: string | undefined;
  /** Returns only calls with this key. */
  readonly keyId?: string | undefined;
  /** The earliest timestamp, inclusive, RFC 3339. */
  readonly since?: string | undefined;
  /** The latest timestamp, inclusive, RFC 3339. */
  readonly until?: string | undefined;
}

/** The terms on which an account may read a feed, set by the provider. */
export interface AccessTerms {
  /** Whether reads are free for the account. @default false */
  readonly isFree?: boolean | undefined;
  /** The time at which the grant ends, RFC 3339. @default never */
  readonly expiresAt?: string | undefined;
}

/** The terms of a grant, with a note for the provider's own use. */
export interface ReaderTerms extends AccessTerms {
  /** At most 2,000 characters, shown only to the provider. */
  readonly note?: string | undefined;
}

/** Selects requests for access to a feed. */
export interface FeedAccessRequestsOptions extends CursorPageOptions {
  /** Returns only requests with this status. @default all */
  readonly status?: AccessRequest["status"] | undefined;
}

const RETRIES = 8;
const WAIT_MS_MAX = 120_000;
const PAUSE_MS_MAX = 15_000;
const TIMEOUT_MS = 60_000;
const CACHE_CHARS_MAX = 8 * 1_024 * 1_024;
const PAGE_ROWS = 100;

/**
 * A client for one gateway, for agents and providers. Every method that calls the gateway throws a `FeedgateError` if
 * the call fails, or the signal's reason if it is aborted.
 *
 * ```ts
 * const feedgate = new Feedgate({ url: "https://feeds.example.com", key: "fg_read_…" });
 * for await (const row of feedgate.rows("gold-prices")) console.log(row);
 * ```
 */
export class Feedgate<Row = JsonObject> {
  /** Manages the webhooks of the key's account. */
  readonly webhooks: Webhooks;
  readonly #options: TransportOptions;
  readonly #transport: Transport;
  readonly #parseRow: ParseRow<Row> | undefined;
  readonly #parseJson: (text: string) => unknown;

  /** @throws {TypeError} if `url` is not an `http` or `https` address, or no HTTP header can contain `key` */
  constructor(options: FeedgateOptions<Row>) {
    const { url, key, parseRow, parseJson = JSON.parse, onRetry, fetch: given = fetch } = options;
    const { href, protocol } = new URL(url);
    if (protocol !== "http:" && protocol !== "https:") {
      throw new TypeError(`url must begin with http:// or https://, got "${url}"`);
    }
    const mistake = headerMistake("key", key ?? "");
    if (mistake !== undefined) throw new TypeError(`${mistake}: use the complete key`);
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

  /** Returns a page of public feeds that match the words, best match first. Free. */
  search(words: string, { category, limit, offset, signal }: SearchOptions = {}) {
    const query = queryOf({ q: words, category, limit, offset });
    return this.#json<SearchResults>({ path: `/search${query}`, isTagged: true, signal });
  }

  /** Returns a page of all public feeds, newest first. Free. */
  catalog({ limit, offset, signal }: OffsetPageOptions = {}) {
    const query = queryOf({ limit, offset });
    return this.#json<Catalog>({ path: `/catalog${query}`, isTagged: true, signal });
  }

  /** Returns the schema, sample, price and size of a feed, given its id or slug. Free. */
  describe(feed: string, { signal }: CallOptions = {}) {
    return this.#feed<FeedMetadata>({ path: feedPath(feed, "/metadata"), isTagged: true, signal });
  }

  /** Reads one page of a feed, or the document of a singleton. Costs one read, unless the cached page is unchanged. */
  async read(feed: string, options: ReadOptions = {}): Promise<ReadPage<Row>> {
    const path = feedPath(feed, readQuery(options));
    const text = await chargedRead(this.#transport, { path, isTagged: true }, options);
    return readPage(text, this.#parseRow);
  }

  /**
   * Reads a feed page by page to the end. Each row is returned once, even while the provider pushes.
   *
   * @throws {CursorExpiredError} more than 15 minutes after a new batch has replaced the rows
   */
  async *pages(feed: string, options: ReadOptions = {}): AsyncGenerator<ReadPage<Row>, void, void> {
    const { offset, ...rest } = { limit: PAGE_ROWS, ...options };
    let next: ReadOptions = { ...rest, offset };
    for (;;) {
      const path = feedPath(feed, readQuery(next));
      const page = readPage(await chargedRead(this.#transport, { path }, next), this.#parseRow);
      yield page;
      if (page.nextCursor === null) return;
      // A key is valid for one page.
      next = { ...rest, cursor: page.nextCursor, idempotencyKey: undefined };
    }
  }

  /**
   * Reads a feed row by row to the end. Each row is returned once, even while the provider pushes.
   *
   * @throws {CursorExpiredError} more than 15 minutes after a new batch has replaced the rows
   */
  async *rows(feed: string, options: ReadOptions = {}): AsyncGenerator<Row, void, void> {
    for await (const { rows } of this.pages(feed, options)) yield* rows;
  }

  /**
   * Exports all rows of a collection or a stream in order of arrival, as a snapshot: one call instead of many pages, at
   * the same price. An account can export each feed up to 6 times an hour.
   *
   * @throws {CursorExpiredError} if the exported version is no longer available when the export resumes
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

  /** Returns records by id, in the order given. Unknown ids are omitted. Costs one read per 100 ids. */
  async records(
    feed: string,
    ids: Iterable<string | number>,
    options: Pick<ReadOptions, "signal" | "maxCredits"> = {},
  ): Promise<Row[]> {
    const found: Row[] = [];
    for (const query of idQueries(ids)) {
      const call = { path: feedPath(feed, query), isTagged: true };
      const text = await chargedRead(this.#transport, call, options);
      found.push(...readPage(text, this.#parseRow).rows);
    }
    return found;
  }

  /**
   * Returns the events of a stream as they arrive, indefinitely: catches up by pages, then keeps a connection open and
   * reconnects after any interruption. Each page with events costs one read.
   *
   * @throws {FeedgateError} if the gateway stays unreachable for `outageMsMax`, or refuses the call
   */
  follow(feed: string, options: FollowOptions = {}): AsyncGenerator<StreamPage<Row>, void, void> {
    const follower = {
      transport: this.#transport,
      options: this.#options,
      parseRow: this.#parseRow,
    };
    return follow(follower, feed, options);
  }

  /** Returns the account's balance and limits, and the key's budget. Free. */
  account({ signal }: CallOptions = {}) {
    return this.#json<Account>({ path: "/account", signal });
  }

  /** Returns a page of the usage log, newest first. Free. */
  usage({ feedId, keyId, since, until, limit, cursor, signal }: UsageOptions = {}) {
    const query = queryOf({ feed_id: feedId, key_id: keyId, since, until, limit, cursor });
    return this.#json<Usage>({ path: `/usage${query}`, signal });
  }

  /**
   * Buys a feed with a one-time price, for at most `maxCredits` (one credit is 0.000001 USD). If the account has
   * already bought the feed, returns that purchase at no charge.
   *
   * @throws {PriceAboveMaxError} if the price is higher than `maxCredits`
   * @throws {InsufficientCreditsError} if the balance is too low
   */
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

  /** Returns a page of the account's purchases, newest first. */
  purchases({ limit, cursor, signal }: CursorPageOptions = {}) {
    return this.#json<Purchases>({ path: `/purchases${queryOf({ limit, cursor })}`, signal });
  }

  /**
   * Asks the provider of a feed for access. If the response is lost, the call throws a `ConnectionError` and is not
   * retried; `accessRequests` shows whether the request was received.
   *
   * @throws {AccessRequestedError} while a request is waiting, and for 7 days after it was declined
   * @throws {AccessNotNeededError} if the account can already read the feed
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

  /** Returns a page of the account's requests for access, newest first, with the providers' answers. */
  accessRequests({ limit, cursor, signal }: CursorPageOptions = {}) {
    const query = queryOf({ limit, cursor });
    return this.#json<AccessRequests>({ path: `/account/access-requests${query}`, signal });
  }

  /**
   * Pushes any number of rows, split into requests within the gateway's limits, or the document of a singleton. Needs a
   * write key.
   *
   * @throws {ProblemError} with `rowsBefore`, the number of rows that earlier requests have stored
   */
  push(feed: string, payload: PushRows | PushRow, options: PushOptions = {}): Promise<PushSummary> {
    const transport = this.#transport;
    return isMany(payload)
      ? pushRows(transport, { feed, rows: payload, options })
      : pushDocument(transport, { feed, document: payload, options });
  }

  /**
   * Imports an NDJSON or CSV file as one push: replaces all rows of a collection, or appends the events that a stream
   * does not have yet. Needs a write key.
   *
   * @throws {ValidationFailedError} if lines are invalid; `problem.errors` lists the first 20
   * @throws {ImportRunningError} if another import into the feed is running
   */
  importFile(feed: string, file: ImportFile, options: ImportOptions): Promise<ImportReceipt> {
    return importFile(this.#transport, { feed, file, options });
  }

  /** Returns a page of the account's own feeds, including drafts. Needs a write key. */
  ownFeeds({ limit, offset, signal }: OffsetPageOptions = {}) {
    return this.#json<OwnFeeds>({ path: `/provider/feeds${queryOf({ limit, offset })}`, signal });
  }

  /** Creates a feed, by default as a draft. Retries create it only once. Needs a write key. */
  createFeed(feed: NewFeed, { signal }: CallOptions = {}): Promise<WrittenFeed> {
    // With an id from the client, a retry finds a feed that was created although the response was lost.
    const body = JSON.stringify({ id: randomUuid(), ...feed });
    return this.#feed<WrittenFeed>({ method: "POST", path: "/provider/feed/create", body, signal });
  }

  /** Changes the given fields of a feed, and no others. Needs a write key. */
  editFeed(feed: string, changes: FeedChanges, { signal }: CallOptions = {}): Promise<WrittenFeed> {
    const path = ownFeedPath(feed, "/edit");
    const body = JSON.stringify(changes);
    return this.#feed<WrittenFeed>({ method: "PATCH", path, body, signal });
  }

  /** Returns a page of the accounts that were granted access to a feed, newest first. Needs a write key. */
  readers(feed: string, { limit, cursor, signal }: CursorPageOptions = {}) {
    const path = ownFeedPath(feed, `/readers${queryOf({ limit, cursor })}`);
    return this.#json<FeedReaders>({ path, signal });
  }

  /** Returns an account's grant. Needs a write key. @throws {ReaderNotFoundError} if the account has none */
  reader(feed: string, accountId: string, { signal }: CallOptions = {}): Promise<FeedReader> {
    const path = ownFeedPath(feed, `/readers/${encodeURIComponent(accountId)}`);
    return this.#json<FeedReader>({ path, signal });
  }

  /**
   * Grants an account access to a feed, or replaces the terms of its grant. If the account has a waiting request, this
   * approves it. Needs a write key.
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

  /** Ends an account's access, effective from its next read. Needs a write key. */
  async removeReader(feed: string, accountId: string, { signal }: CallOptions = {}): Promise<void> {
    const path = ownFeedPath(feed, `/readers/${encodeURIComponent(accountId)}`);
    await this.#transport.call({ method: "DELETE", path, signal });
  }

  /** Returns a page of the requests for access to a feed, newest first. Needs a write key. */
  feedAccessRequests(
    feed: string,
    { status, limit, cursor, signal }: FeedAccessRequestsOptions = {},
  ) {
    const query = queryOf({ status, limit, cursor });
    const path = ownFeedPath(feed, `/access-requests${query}`);
    return this.#json<AccessRequests>({ path, signal });
  }

  /**
   * Approves a request, which grants the account access. Needs a write key.
   *
   * @throws {AccessAnsweredError} if the request was already answered
   */
  approveAccess(
    feed: string,
    requestId: string,
    { signal, ...terms }: AccessTerms & CallOptions = {},
  ): Promise<AccessRequest> {
    const path = ownFeedPath(feed, `/access-requests/${encodeURIComponent(requestId)}/approve`);
    const body = JSON.stringify(termsOf(terms));
    return this.#json<AccessRequest>({ method: "POST", path, body, signal });
  }

  /**
   * Declines a request. The account can read the reason. Needs a write key.
   *
   * @throws {AccessAnsweredError} if the request was already answered
   */
  declineAccess(
    feed: string,
    requestId: string,
    { reason, signal }: CallOptions & { readonly reason?: string | undefined } = {},
  ): Promise<AccessRequest> {
    const path = ownFeedPath(feed, `/access-requests/${encodeURIComponent(requestId)}/decline`);
    const body = JSON.stringify({ reason });
    return this.#json<AccessRequest>({ method: "POST", path, body, signal });
  }

  /**
   * Invites an email address: the person who verifies it within 7 days gets access for their account. Needs a write
   * key.
   */
  inviteReader(
    feed: string,
    address: string,
    { signal, ...terms }: ReaderTerms & CallOptions = {},
  ): Promise<ReaderInvitation> {
    const path = ownFeedPath(feed, "/reader-invitations");
    const body = JSON.stringify({ address, ...termsOf(terms) });
    return this.#json<ReaderInvitation>({ method: "POST", path, body, signal });
  }

  /** Returns all open invitations to read a feed, oldest first. Needs a write key. */
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

  /** A feed, whose provider's JSON is parsed by `parseJson`. */
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
