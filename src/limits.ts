/**
 * Limits for deployments and clients, and limits that modules share, with unit and reason. A limit that concerns only
 * one module is defined there.
 *
 * `Limits` contains those that a deployment may override (`config.ts`). The constants apply to all.
 *
 * See `src/spec/interface.md`, section 8.
 *
 * @module
 */
import { assert } from "./lib/assert.ts";
import { intervalOf } from "./lib/time_units.ts";

/** The limits that a deployment may override. */
export interface Limits {
  /** Reads of one free feed in a window, per account. */
  readonly readsFree: number;
  /** Reads of one metered or purchased feed in a window, per account. */
  readonly readsPaid: number;
  /** Calls of catalog, search, and metadata in a window, per account and operation. */
  readonly discovery: number;
  /** Pushes in a window, per feed. */
  readonly pushes: number;
  /** Bytes of a singleton's push body. */
  readonly singletonBodyBytes: number;
  /** Bytes of every other push body, and of create and edit. */
  readonly requestBodyBytes: number;
  /** Bytes of an imported file, after decoding. */
  readonly importBytes: number;
  /** UTF-8 bytes of one stored row. */
  readonly rowBytes: number;
  /** Rows in one push. */
  readonly rows: number;
  /** Feeds a new account may own, drafts included. */
  readonly maxFeeds: number;
  /** Milliseconds of the database's time that one account's reads may use in a minute, per process. */
  readonly databaseMs: number;
}

const KIB = 1_024;
const MIB = 1_024 * KIB;

/** The interface's own values. */
export const LIMITS_DEFAULT: Limits = {
  readsFree: 10,
  readsPaid: 100,
  discovery: 120,
  pushes: 20,
  singletonBodyBytes: 4 * MIB,
  requestBodyBytes: 2 * MIB,
  importBytes: 1_024 * MIB,
  rowBytes: 50 * KIB,
  rows: 500,
  maxFeeds: 3,
  databaseMs: 20_000,
};

/** Length of the exact sliding window of every limit, in milliseconds. */
export const WINDOW_MS = 60_000;
/** The same in microseconds, PostgreSQL's unit. */
export const WINDOW_US = BigInt(WINDOW_MS) * 1_000n;
/** Account, usage, purchases, own feeds, create, and edit: calls in a window, per account and operation. */
export const HOUSEKEEPING_LIMIT = 120;
/** Bytes of the body of a purchase, which contains one number. */
export const PURCHASE_BODY_BYTES_MAX = 4_096;
/** Bytes of the body of a top-up, which contains an amount and a payment method. */
export const TOPUP_BODY_BYTES_MAX = 4_096;
/** Bytes of a message from Stripe. Real ones are a few tens of KB. */
export const STRIPE_EVENT_BYTES_MAX = 256 * KIB;
/** USD cents of a top-up. */
export const TOPUP_CENTS_MIN = 50n;
export const TOPUP_USD_MAX = 1_000;
/** Pending top-ups of an account. */
export const TOPUPS_WAITING_MAX = 20;
/** Pending top-ups of one connected agent, so that others of the account can still top up. */
export const AGENT_TOPUPS_WAITING_MAX = 5;
/**
 * The parts of a day's limit (`FEEDGATE_TOPUP_DAY_USD`) that may be pending: a tenth for an account, an eighth for a
 * network, a quarter for all callers without a key, and half in total.
 */
export const TOPUP_DAY_PARTS = { account: 10n, network: 8n, keyless: 4n, all: 2n } as const;
/** How long a link can be paid, in milliseconds. Stripe allows a day at most. */
export const TOPUP_LINK_MS = 23 * 60 * 60_000;
/** How long an unpaid top-up without an account is kept, in milliseconds. */
export const UNPAID_TOPUP_MS = 30 * 24 * 60 * 60_000;
/** How long an offer of credits for x402 is valid, in ms, and an authorization that accepts it, in seconds. */
export const X402_OFFER_MS_MAX = 15 * 60_000;
export const X402_PAYMENT_SECONDS_MAX = 120;
/** How far a payer's clock may be ahead of ours, and how much time must be left to settle a payment, in seconds. */
export const X402_CLOCK_OFF_SECONDS_MAX = 60;
export const X402_SETTLE_SECONDS_MIN = 10;
/** Characters of a payment's header. */
export const X402_HEADER_LENGTH_MAX = 12 * KIB;
/**
 * How long the facilitator and the chain's node may take for one answer, in milliseconds, and the bytes of an answer.
 */
export const X402_VERIFY_MS_MAX = 10_000;
export const X402_SETTLE_MS_MAX = 30_000;
export const X402_RPC_MS_MAX = 5_000;
export const X402_ANSWER_BYTES_MAX = 2 * MIB;
/** How long a call waits for the chain after the facilitator has refused its payment, in milliseconds. */
export const X402_REFUSED_MS_MAX = 500;
/** How often the chain is queried during that wait, in milliseconds. */
export const X402_POLL_MS = 500;
/** How long such a call may take in total, in seconds. */
export const X402_CALL_SECONDS_MAX = 120;
/** The age of a node's newest block, in seconds, above which an operator should check. */
export const X402_NODE_SECONDS_BEHIND_LOW = 300;
/** Blocks per request for events, and requests for one payment. Public nodes allow no more. */
export const X402_LOG_BLOCKS_MAX = 1_000n;
export const X402_LOG_STEPS_MAX = 50;
/** Newest blocks that may still be reorganized. */
export const X402_REORGANISED_BLOCKS_MAX = 64;
/**
 * Payments that a process handles at the same time, those of one account or network address, and how long one waits.
 */
export const X402_PAYMENTS_MAX = 32;
export const X402_PAYMENTS_OF_ONE_MAX = 4;
export const X402_PAYMENTS_WAIT_MS_MAX = 10_000;
/** The least USD cents that create an account. */
export const X402_KEYLESS_CENTS_MIN = 100n;
/** Calls without a key of one network address, per minute and process, and addresses whose calls are counted. */
export const X402_KEYLESS_PER_ADDRESS = 30;
export const X402_KEYLESS_ADDRESSES_MAX = 10_000;
/** Pending payments without a key, over all gateways. */
export const X402_KEYLESS_WAITING_MAX = 1_000;
/** When the payment method is first asked for the state of a payment, in milliseconds after its start. */
export const TOPUP_FIRST_ASKED_MS = 60_000;
/**
 * How long a top-up may be without a payment, in milliseconds. Its call was interrupted, and may be repeated until
 * then.
 */
export const TOPUP_UNBEGUN_MS_MAX = 15 * 60_000;
/** Answers without a body (304 and HEAD) in a window, per account. */
export const REVALIDATION_LIMIT = 600;

/** Rows on a page, or items in a listing: the default and the cap. Operators' lists have `operator/keyset_page.ts`. */
export const PAGE_LIMIT_DEFAULT = 20;
export const PAGE_LIMIT_MAX = 100;
/** Events of an account's log that a page of one feed's calls examines: about 30 ms. */
export const USAGE_WALK_MAX = 20_000;
/** Digits of an integer parameter. */
export const PARAMETER_DIGITS_MAX = 15;
/** Record ids in one details read. */
export const IDS_MAX = 100;
/** Values in a projection, including the objects of a construction and their nulls. */
export const PROJECTION_NODES_MAX = 100_000;
/** UTF-8 bytes of a projection. */
export const PROJECTION_BYTES_MAX = 8 * 1_024 * 1_024;
/** Nodes that a projection visits: twice those of the largest page, so that one `..` always fits. */
export const PROJECTION_VISITS_MAX = 6_000_000;
/** Projections of an account that grow too large, per window and process. After that, 429. */
export const PROJECTIONS_REFUSED_MAX = 10;
/** `eq` filters in one read. */
export const FILTERS_MAX = 10;
/** Locked schemas whose field names a process caches for filters: up to 256 KB each. */
export const FILTER_SCHEMAS_KNOWN_MAX = 200;
/** Unindexed rows above which a filtered read requests indexing. */
export const FILTER_WALK_ROWS = 40;
/** Bytes of unindexed rows that one filtered read scans, plus 200 a row: 50 ms. */
export const FILTER_WALK_BYTES = BigInt(2 * MIB);
/** The same for a feed that is scanned completely, while it has no index: 0.5 s, and less with each indexing step. */
export const FILTER_WHOLE_BYTES = BigInt(32 * MIB);
/** If a filter names a field that no row contains: unindexed rows allowed, and names that the answer lists. */
export const FILTER_NAMES_UNINDEXED_MAX = 10_000n;
export const FILTER_NAMES_LISTED_MAX = 100;
/** Unindexed rows from which indexing starts without a request: scanning them takes 0.2 s. */
export const FILTER_UNASKED_ROWS_MIN = 50_000;
/** Bytes of rows indexed in one statement, plus 200 a row: 0.1 s at worst, for rows with very many fields. */
export const FILTER_STEP_BYTES = BigInt(128 * KIB);
/** Batches and streams queued for indexing in one process. If the queue is full, a later read asks again. */
export const FILTER_QUEUE_MAX = 1_000;
/** Code points of `jsonpath`, and of a search's `q`. */
export const JSONPATH_LENGTH_MAX = 1_024;
export const SEARCH_LENGTH_MAX = 1_000;
/** Newest rows of a feed that create and edit check against its locked schema. */
export const NEWEST_ROWS_CHECKED_MAX = 100;
/** Validation errors listed in one answer. `error_count` counts them all. */
export const ERRORS_LISTED_MAX = 20;
/** Changes listed when two schemas are compared, breaking ones first. */
export const SCHEMA_CHANGES_LISTED_MAX = 100;
/** How long a retired batch stays readable by cursor, in milliseconds. */
export const RETIRED_BATCH_GRACE_MS = 15 * 60_000;
/** The same as a PostgreSQL interval. */
export const RETIRED_BATCH_GRACE = intervalOf(RETIRED_BATCH_GRACE_MS);
/** How long a batch may stay open before it is closed as abandoned, in milliseconds. */
export const ABANDONED_BATCH_MS = 24 * 60 * 60_000;
/** The same as a PostgreSQL interval. */
export const ABANDONED_BATCH = intervalOf(ABANDONED_BATCH_MS);
/** Open batches in the listing of an own feed, newest first. */
export const OPEN_BATCHES_LISTED_MAX = 20;
/** Webhooks of an account, or of the operators. */
export const WEBHOOKS_MAX = 20;
/** Webhooks that one connected agent may have, of those of its account. */
export const AGENT_WEBHOOKS_MAX = 5;
/** Feeds to which a webhook can be limited. */
export const WEBHOOK_FEEDS_MAX = 100;
/** Code points of a webhook's URL. */
export const WEBHOOK_URL_LENGTH_MAX = 2_000;
/** How long notices and their deliveries are kept, in milliseconds. */
export const NOTICES_KEPT_MS = 30 * 24 * 60 * 60_000;
/** The balance, in nano-dollars, below which an account is notified by default: 1 USD. */
export const LOW_BALANCE_NANOS = 1_000_000_000;
/** The period that `reliability_score` covers, in milliseconds. */
export const RELIABILITY_HISTORY_MS = 30 * 24 * 60 * 60_000;
/** How long the history of pushes is kept, in milliseconds. */
export const PUSH_HISTORY_MS = 90 * 24 * 60 * 60_000;
/** The same as a PostgreSQL interval. */
export const PUSH_HISTORY = intervalOf(PUSH_HISTORY_MS);
/** Partitions of the usage log that are created ahead of time, in months. */
export const USAGE_MONTHS_AHEAD = 3;
/** How long an idempotency key is remembered, in milliseconds. */
export const IDEMPOTENCY_TTL_MS = 24 * 60 * 60_000;
export const IDEMPOTENCY_TTL_US = BigInt(IDEMPOTENCY_TTL_MS) * 1_000n;
/** Nesting of a row or document, which itself counts as level 1. */
export const JSON_DEPTH_MAX = 100;
/** Code points of names and texts. */
export const NAME_LENGTH_MAX = 200;
export const DESCRIPTION_LENGTH_MAX = 2_000;
export const README_LENGTH_MAX = 200_000;
export const CATEGORY_LENGTH_MAX = 100;
export const UPDATE_FREQUENCY_LENGTH_MAX = 200;
/** Serialized bytes of `schema_definition` and of `sample_response`. */
export const SCHEMA_BYTES_MAX = 256 * KIB;
/** Minutes of `sync_interval_mins`: a year at most. */
export const SYNC_INTERVAL_MINS_MAX = 525_600;
/** Days of `retention_days`. */
export const RETENTION_DAYS_MAX = 3_650;
/** Days of earnings shown if no start is given, and the most days. */
export const EARNINGS_DAYS_DEFAULT = 30;
export const EARNINGS_DAYS_MAX = 3_660;
/** Minutes of the gateway's totals shown if no start is given, and the most minutes: a day. */
export const STATS_MINUTES_DEFAULT = 60;
export const STATS_MINUTES_MAX = 1_440;
/** Feeds, and accounts, ranked in the gateway's totals. */
export const STATS_TOP_ROWS = 10;
/** Minutes whose counts a gateway keeps while the database can't be reached. Older ones are merged. */
export const MINUTES_HELD_MAX = 60;
/** Feeds that an account may delete in 24 hours, per feed of its quota. */
export const DELETIONS_PER_FEED_ALLOWED = 10;
/** How long the slug of a deleted public feed stays taken, in milliseconds. */
export const DELETED_SLUG_MS = 30 * 24 * 60 * 60_000;
/** USD per 1,000 calls, and USD cents of a one-time price. */
export const PRICE_PER_1K_USD_MAX = 1_000_000;
export const ONE_TIME_PRICE_CENTS_MIN = 100;
/** Property names in a catalog entry's `schema_hint`. */
export const SCHEMA_HINT_MAX = 20;
/** Code points of a batch id. */
export const BATCH_ID_LENGTH_MAX = 128;

/**
 * How long a statement of an operator's command may run, in milliseconds: long enough for a report over a whole log.
 */
export const OPERATOR_STATEMENT_MS_MAX = 60_000;
/** Connections of a gateway for the operator's API, so that no report takes one that a read needs. */
export const OPERATOR_CONNECTIONS_MAX = 3;
/** Calls of the operator's API per key, minute, and process. */
export const OPERATOR_LIMIT = 600;
/** How long a sign-in link to the console is valid, in ms. */
export const SIGN_IN_LINK_MS = 15 * 60_000;
/** How long a session of the console lasts, in ms. */
export const SESSION_MS = 12 * 3_600_000;
/** Failed sign-ins by key, per minute, address, and process. */
export const SIGN_IN_TRIES = 10;
/** Addresses whose failed sign-ins a process counts. */
export const SIGN_IN_ADDRESSES_MAX = 10_000;
/** Digits of a sign-in code. */
export const CODE_DIGITS = 8;
/** How long a sign-in code is valid, in ms, and how often a code may be tried. */
export const CODE_MS = 10 * 60_000;
export const CODE_TRIES = 5;
/** How long a proven address stays proven in its browser, in ms: long enough to read the operator's terms. */
export const PROVEN_MS = 30 * 60_000;
/** How long a sign-in through an OpenID Connect provider may take, in ms, and what it keeps in the browser. */
export const OPENID_ATTEMPT_MS = 10 * 60_000;
/** Of a cookie's value. Browsers drop cookies of more than 4,096 bytes, with name and attributes. */
export const OPENID_ATTEMPT_LENGTH_MAX = 3_800;
/** For each request to the provider, in ms, and the bytes of its answer. */
export const OPENID_ANSWER_MS = 10_000;
export const OPENID_ANSWER_BYTES_MAX = 256 * 1_024;
/** How far the provider's clock may be off, in ms. */
export const OPENID_CLOCK_TOLERANCE_MS = 60_000;
/** How long the provider's metadata is kept, in ms. */
export const OPENID_METADATA_MS = 60 * 60_000;
/** Codes that are mailed per hour to one address, and for one network. */
export const CODES_OF_ADDRESS_LIMIT = 5;
export const CODES_OF_NETWORK_LIMIT = 20;
/** Codes per minute: of a process, and of a network. */
export const CODES_LIMIT = 300;
export const CODES_OF_NETWORK_MINUTE_LIMIT = CODES_OF_NETWORK_LIMIT;
/** Accounts that sign-ups from one network create per hour. */
export const SIGN_UPS_OF_NETWORK_LIMIT = 10;
/** How long an invitation is valid, in days, and how many an account may have open. */
export const INVITATION_DAYS = 7;
export const INVITATIONS_MAX = 50;
/** Open invitations to read one feed. */
export const READER_INVITATIONS_MAX = 1_000;
/** Days after a declined request for access until the account may ask again. */
export const ACCESS_REFUSAL_DAYS = 7;
/** Characters of a request for access, its answer, and a note about a reader. */
export const ACCESS_TEXT_LENGTH_MAX = 2_000;
/** Invitations of an address to read feeds, and an account's feeds with pending requests, that a page lists. */
export const ADDRESS_INVITATIONS_LISTED = 100;
export const WAITING_FEEDS_LISTED = 10;
/** Bytes of a JSON body that contains a function's input. */
export const INPUT_BODY_BYTES_MAX = 65_536;
/** Invitations, to accounts and to feeds, that are mailed per hour to one address by all accounts together. */
export const INVITATIONS_OF_ADDRESS_LIMIT = 5;
/** Messages of invitations from one account in an hour. */
export const INVITATION_MAILS_LIMIT = 200;
/** Valid keys that the owners of an account may have created for it. Agents' keys are not counted. */
export const OWN_KEYS_MAX = 50;
/** How long proofs of addresses and networks of sign-ups are kept, in ms. */
export const PROOF_HISTORY_MS = 24 * 3_600_000;

/** Bytes of a form of the console without a file. */
export const FORM_BYTES_MAX = 256 * 1_024;
/** Bytes of a body of the operator's API. */
export const OPERATOR_BODY_BYTES_MAX = 256 * 1_024;
/** Admin keys whose calls a process counts. */
export const ADMIN_KEYS_COUNTED_MAX = 1_000;

/** Columns of an imported CSV file. */
export const CSV_COLUMNS_MAX = 2_000;
/** Rows, and characters of them, that an import stores in one commit: about 15 ms. More would produce more garbage. */
export const IMPORT_ROWS_MAX = 1_000;
export const IMPORT_CHARACTERS_MAX = MIB / 4;
/**
 * Bytes that an import counts for among the bodies in memory: rows that are checked, and rows in progress. So an
 * account runs up to four imports per process.
 */
export const IMPORT_HELD_BYTES = 4 * MIB;
/** Bytes of a piece of an import's file, the unit of processing. */
export const IMPORT_PIECE_BYTES = 16 * 1_024;
/**
 * Consecutive pieces in which no row ends, in addition to those of one long row. A gigabyte of line ends is a megabyte
 * of gzip.
 */
export const IMPORT_EMPTY_PIECES_MAX = 256;
/** How often an import reports progress, in milliseconds. */
export const IMPORT_PROGRESS_MS = 1_000;
/** While the database is down: a failed import's attempts to release its feed, and the pause between them, in ms. */
export const IMPORT_END_TRIES_MAX = 60;
export const IMPORT_END_PAUSE_MS = 2_000;
/** How long an import's client may send nothing, and how long an import may take, in milliseconds. */
export const IMPORT_SILENCE_MS_MAX = 60_000;
export const IMPORT_MS_MAX = 6 * 60 * 60_000;
/** After this long without renewal, an import counts as dead. It is renewed every few seconds. */
export const IMPORT_LEASE_MS = 15_000;
export const IMPORT_RENEWAL_MS = 5_000;
/** The same as a PostgreSQL interval. */
export const IMPORT_LEASE = intervalOf(IMPORT_LEASE_MS);

/** Exports per account and feed in an hour. */
export const EXPORTS_LIMIT = 6;
export const EXPORTS_WINDOW_MS = 60 * 60_000;
export const EXPORTS_WINDOW_US = BigInt(EXPORTS_WINDOW_MS) * 1_000n;
/** Exports per minute of all feeds, including those that resume under an Idempotency-Key. */
export const EXPORTS_PER_MINUTE = 60;
/** Rows of an export that cost as much as one read. */
export const EXPORT_ROWS_PER_READ = 100n;
/**
 * Exports that a process sends at the same time, each on its own connection. An account may have at most half of them.
 */
export const EXPORTS_MAX = 6;
/** How long an export may take, and how long its client may go without reading, in milliseconds. */
export const EXPORT_MS_MAX = 15 * 60_000;
export const EXPORT_UNREAD_MS_MAX = 30_000;
/** How long a client must not have read before its export gives way to an account without one. */
export const EXPORT_GIVES_WAY_MS = 5_000;
/** Rows whose fields become the columns of a CSV export if no schema names any. */
export const EXPORT_SAMPLE_ROWS = 1_000;

/** Connections of a gateway for imports, whose steps take turns on them. */
export const IMPORT_CONNECTIONS_MAX = 2;

/** Connections of one process to its database. */
export const DATABASE_CONNECTIONS_MAX = 12;
/** Connections among these that only admission, refunds, and `/readyz` use, so that no page delays admission. */
export const DATABASE_CONNECTIONS_SPARED = 4;
/** How long a statement waits for an open connection while the server refuses another one, in milliseconds. */
export const DATABASE_FULL_WAIT_MS_MAX = 2_500;
/**
 * Connections that one process may open: those above, one for background work, imports, the operator's API, exports.
 */
export const PROCESS_CONNECTIONS_MAX =
  DATABASE_CONNECTIONS_MAX + 1 + IMPORT_CONNECTIONS_MAX + OPERATOR_CONNECTIONS_MAX + EXPORTS_MAX;
/** Other connections: supervisor, start, commands. */
export const SPARE_CONNECTIONS = 10;
/** An account that has used more of its `databaseMs` than this runs one statement at a time. */
export const DATABASE_HEAVY_MS = 2_000;
/** Accounts whose database time a process remembers. */
export const KNOWN_BUDGETS_MAX = 50_000;
/** Statements that may wait for a connection in one process, and for how long, in milliseconds. */
export const DATABASE_WAITING_MAX = 2_000;
export const DATABASE_WAIT_MS_MAX = 250;
/** Among these, statements that may wait regardless of the expected wait. */
export const DATABASE_WAITING_FREE = 512;
/**
 * An admitted request may wait this many times the limit before it is refused after all, because a machine may stall.
 */
export const LATENESS_MAX = 6;
/** How pending reads and proofs are batched in a process (`lib/batcher.ts`). */
export const ADMISSION_BATCHES = {
  /** Reads decided by one statement, and statements in flight. */
  batchMax: 256,
  flightsMax: 2,
  /** Reads that may wait for admission. Above this, 503. */
  queueMax: 8_192,
  /** Among these, reads that may wait regardless of the expected wait: a burst on a slow machine is not an overload. */
  waitingFree: 1_024,
  /** How long the others may wait, in milliseconds. A read that would wait longer is refused. */
  waitMsMax: 250,
  latenessMax: LATENESS_MAX,
};
/** Answers with 503 per second (at most a fifth of a process's time), and the burst after a quiet time. */
export const REFUSALS_PER_SECOND = 1_500;
export const REFUSALS_AT_ONCE_MAX = 300;
/**
 * Refusals of one account (4xx) per second, and the burst after a quiet time. Others are queued. A refusal may query
 * the database like a read does, so many of them slow down other accounts (`test/system/isolation_test.ts`).
 */
export const ACCOUNT_REFUSALS_PER_SECOND = 200;
export const ACCOUNT_REFUSALS_AT_ONCE_MAX = 300;
/** Accounts whose refusals a process remembers. */
export const ACCOUNTS_REFUSED_MAX = 10_000;
/** Refusals that wait for their turn, and for how long. With more, all are faster. */
export const REFUSALS_WAITING_MAX = 20_000;
export const REFUSALS_WAIT_SECONDS_MAX = 5;
/** Pushes of one feed that wait for their turn in one process, and for how long, in milliseconds. */
export const PUSHES_WAITING_MAX = 1_000;
/** Among these, pushes that may wait regardless of the expected wait: more than one feed's limit per minute. */
export const PUSHES_WAITING_FREE = 64;
export const PUSH_TURN_WAIT_MS_MAX = 1_500;
/** Feeds whose full window of pushes a process remembers. */
export const FULL_PUSH_WINDOWS_MAX = 10_000;
/** Feeds whose rate-limited pushes a process counts for their history. */
export const LIMITED_FEEDS_MAX = 10_000;
/**
 * Bytes of bodies in one process's memory. Processing them takes several times as much. One account alone may use half
 * of them: four times its largest push.
 */
export const BODIES_BYTES_MAX = 32 * MIB;
/** How often a read is sent again because its account had changed, or waited for another read of it. Then 503. */
export const LOG_TRIES_MAX = 200;
/** Accounts that a process remembers, and their windows: at 100 bytes each, with their hits. */
export const KNOWN_ACCOUNTS_MAX = 100_000;
export const KNOWN_WINDOWS_MAX = 2_000_000;
/** Windows of calls that are not logged. */
export const CALL_WINDOWS_MAX = 50_000;
/** Batches of reads whose answer was lost that a process keeps until they are refunded. */
export const LOST_BATCHES_MAX = 1_000;
/** How long refunding them is retried, in milliseconds. */
export const LOST_BATCH_MS_MAX = 24 * 60 * 60_000;
/** Keys and feeds that a process remembers. Admission proves each before it counts. */
export const KNOWN_KEYS_MAX = 50_000;
export const KNOWN_FEEDS_MAX = 20_000;
/** Query plans that a process caches: 512 bytes each, plus their content. */
export const KNOWN_PLANS_MAX = 10_000;
/** How often a read or push is planned again because its feed changed. Then 503. */
export const PLANS_MAX = 5;
/** Feeds whose metadata a process caches, and its characters. Longer metadata is read each time. */
export const KNOWN_METADATA_MAX = 1_024;
export const KNOWN_METADATA_LENGTH_MAX = 16 * KIB;
/** Readers that wait for a change, per account and per process. */
export const WAITS_PER_ACCOUNT_MAX = 20;
export const WAITS_MAX = 10_000;
/** Viewers of live pages, per process. A network or account may have as many as an account has waiting readers. */
export const VIEWERS_MAX = 1_000;
/** How often to check whether a viewer may still see its page, in milliseconds. */
export const VIEWER_RECHECK_MS = 15_000;
/** How often to check whether the operators' overview has changed while someone views it, in milliseconds. */
export const OVERVIEW_LOOK_MS = 5_000;
/** How often to check for pushes through other processes while readers wait, in milliseconds. */
export const WAIT_POLL_MS = 250;
/** How long a repeated call of an operator waits for the first one. */
export const REPEAT_WAIT_MS = 5_000;
/** The minimum time between two `rows` events of a follower, in milliseconds. */
export const ROW_EVENTS_MS = 1_000;
/** How long the text of `/metrics` is reused for all callers, in milliseconds. */
export const METRICS_TEXT_MS = 1_000;
/** How long a conditional read, and a follower's long poll, may wait, in seconds. */
export const CONDITIONAL_WAIT_SECONDS_MAX = 30;
export const LONG_POLL_SECONDS = 20;
/** How long a follower's connection stays open, in milliseconds. */
export const FOLLOW_MS_MAX = 15 * 60_000;
/** How long a follower may go without reading, in milliseconds. Checked with each comment, every 15 seconds. */
export const UNREAD_EVENT_MS_MAX = 10_000;
/** Calls without a key per minute: of a process (at most a tenth of its time), and of a network. */
export const ANONYMOUS_LIMIT = 6_000;
export const ANONYMOUS_OF_NETWORK_LIMIT = 3_000;
/** Pages built for people without a key per minute: of a process, and of a network (or of a proxy that isn't trusted). */
export const PAGES_MADE_LIMIT = 6_000;
export const PAGES_MADE_OF_NETWORK_LIMIT = 1_200;
/** Addresses of `X-Forwarded-For` that are read, each of a trusted proxy but for the last. */
export const FORWARDED_ADDRESSES_MAX = 32;
/** Networks that each limit counts, 200 bytes each. */
export const LIMITED_NETWORKS_MAX = 10_000;
/** MCP calls without a key per minute: of a process, and of a network. */
export const MCP_ANONYMOUS_LIMIT = 1_200;
export const MCP_ANONYMOUS_OF_NETWORK_LIMIT = 600;
/**
 * Bytes of an MCP message, and of one without a key. A tool takes no more than the head of an HTTP request can have, and
 * checking an argument takes longer than reading a parameter.
 */
export const MCP_BODY_BYTES_MAX = 128 * KIB;
export const MCP_ANONYMOUS_BODY_BYTES_MAX = 16 * KIB;
/** Bytes in one process's memory for the bodies of all such callers together. */
export const STRANGERS_BODIES_BYTES_MAX = 4 * MIB;
/** Agents of an account that are connected by OAuth, plus unused codes of the last day. */
export const AGENTS_MAX = 100;
/** How long a code is valid, as a PostgreSQL interval. */
export const CONNECT_CODE_AGE = "60 seconds";
/** How long an unused registration, or an unused code, is kept, in milliseconds. */
export const UNUSED_CONNECTION_MS = 24 * 60 * 60_000;
/** Unused registrations in the database. */
export const UNUSED_CLIENTS_MAX = 20_000;
/** Registrations younger than this are never evicted. */
export const YOUNG_CLIENT_SECONDS = 600;
/** Registrations per minute: of a process, and of a network. */
export const REGISTRATIONS_LIMIT = 600;
export const REGISTRATIONS_OF_NETWORK_LIMIT = 10;
/** Bytes of the bodies of `/oauth`. */
export const CONNECT_BODY_BYTES_MAX = 16 * KIB;
/** Redirect addresses of a client, and characters of each. */
export const REDIRECT_ADDRESSES_MAX = 10;
export const REDIRECT_LENGTH_MAX = 1_000;
/** Characters of a client's `state`, which is returned to it. */
export const CONNECT_STATE_LENGTH_MAX = 2_000;
/**
 * A client's metadata document: its bytes, how long fetching it may take, and how long it is cached, in milliseconds.
 */
export const CLIENT_DOCUMENT_BYTES_MAX = 5 * KIB;
export const CLIENT_DOCUMENT_MS_MAX = 5_000;
export const CLIENT_DOCUMENT_KEPT_MS = 10 * 60_000;
/** How long after a failure a document is not requested again, in milliseconds. */
export const CLIENT_DOCUMENT_FAILED_MS = 30_000;
/** Documents that a process caches, and that it fetches at the same time. */
export const CLIENT_DOCUMENTS_MAX = 1_000;
export const CLIENT_FETCHES_MAX = 8;
/** How long an agent's key may be valid, in days, by default and at most. */
export const AGENT_DAYS_DEFAULT = 30;
export const AGENT_DAYS_MAX = 365;
/** How long a consent page is valid, in milliseconds. */
export const CONSENT_MS_MAX = 60 * 60_000;
/** Listed feeds that a consent page offers. */
export const CONSENT_FEEDS_MAX = 50;
/** Feeds to which an agent's key may be limited. */
export const AGENT_FEEDS_MAX = 100;
/** Bytes of public pages kept in memory. */
export const PUBLIC_PAGES_BYTES_MAX = 16 * MIB;
/** How old a public page in memory may be, in milliseconds. */
export const PUBLIC_PAGE_MS_MAX = 5_000;
/** How often the version of a feed's page is looked up at most, and how old the page may be at the same version. */
export const PUBLIC_PAGE_LOOK_MS = 1_000;
export const VERSIONED_PAGE_MS_MAX = 60_000;
/** Rows and bytes of rows on a feed's page, columns of its table, and characters of a cell. */
export const SITE_ROWS_SHOWN = 50;
export const SITE_ROWS_BYTES_MAX = 100 * KIB;
export const SITE_COLUMNS_SHOWN = 12;
export const SITE_CELL_CHARS_MAX = 200;
/** Readmes cached as HTML with their text, in characters. The pages above are rebuilt far more often. */
export const RENDERED_READMES_CHARS_MAX = 8 * MIB;
/** Feeds on a page of the public catalog, categories beside it, and the largest offset. */
export const SITE_FEEDS_SHOWN = 20;
export const SITE_CATEGORIES_SHOWN = 24;
export const SITE_OFFSET_MAX = 100_000;
/** Days in the chart of a feed's page, and pushes of a day that are counted for it. */
export const SITE_DAYS_SHOWN = 30;
export const SITE_PUSHES_A_DAY_MAX = 1_000;
/** The same on its provider's page, whose charts read the pushes themselves: a push a minute is counted whole. */
export const FEED_DAYS_SHOWN = 30;
export const FEED_PUSHES_A_DAY_MAX = 1_440;
/** Addresses in a sitemap. The protocol allows 50,000. */
export const SITEMAP_FEEDS_MAX = 49_900;
/** Bytes of agent skills, and of pages of their index, kept in memory. */
export const SKILL_BYTES_MAX = 32 * MIB;
/** Bytes of answers kept in memory. */
export const PAGE_CACHE_BYTES_MAX = 64 * MIB;
/** Bytes of large answers that clients have not read yet, per process. Above this, the slowest are closed. */
export const UNSENT_BYTES_MAX = 64 * MIB;
/** Bytes of an answer from which it counts as large. */
export const STREAMED_BYTES_MIN = 64 * KIB;
/** Connections of a process, if its descriptors allow as many. Above this, 503. */
export const CONNECTIONS_MAX = 16_384;
/** Descriptors for everything except clients: the database, logs, files. */
export const DESCRIPTORS_SPARED = 96;
/** Bytes of an answer from which it is compressed if the client accepts that. */
export const COMPRESSED_BYTES_MIN = 1_024;
/** Bun's own limit of a body, at which it disconnects without an answer. Higher than any configured limit. */
export const SERVER_BODY_BYTES_MAX = Number.MAX_SAFE_INTEGER;
/**
 * Bytes of a request's line and headers. Bun answers a larger one by a bare 431. Its own limit of 16 KB is too small for
 * 100 ids of 256 characters.
 */
export const REQUEST_HEAD_BYTES_MAX = 64 * 1_024;
/** From a request's first byte to its answer, and between two requests of one connection, in seconds. */
export const IDLE_SECONDS_MAX = 10;
/** The same for requests whose body may be large and slow: push, create, and edit. */
export const UPLOAD_SECONDS_MAX = 60;
/** Bytes of a body that is too large that are received and discarded, so that its client can read the 413. */
export const LINGER_BYTES_MAX = 8 * MIB;
/** For at most this long, in milliseconds. */
export const LINGER_MS_MAX = 5_000;
/** The longest silence between two pieces, in milliseconds. */
export const LINGER_SILENCE_MS_MAX = 300;
/** Free bytes of the embedded PostgreSQL's disk below which it counts as full: the next segment of its WAL. */
export const DISK_FREE_BYTES_MIN = 16 * MIB;
/** The free share and bytes of the disk below which `doctor` warns. */
export const DISK_FREE_SHARE_LOW = 0.1;
export const CERTIFICATE_DAYS_LOW = 14;
export const CLOCK_OFF_SECONDS_LOW = 2;
export const TOTALS_BEHIND_SECONDS_LOW = 300;
export const MAIL_WAIT_SECONDS_LOW = 600;
/** Webhooks that hang may have turns this late. */
export const NOTICES_LATE_SECONDS_LOW = 300;
export const REPLICA_LAG_SECONDS_LOW = 30;
/** How long `doctor` verifies ledgers, in milliseconds. */
export const LEDGER_PROOF_MS_MAX = 60_000;
/** Maximum age of a count of late feeds, as a PostgreSQL interval. Feeds are counted every minute. */
export const LATE_FEEDS_FOUND_WITHIN = "5 minutes";
/** Events of an account's log up to which the console verifies its ledger automatically. */
export const PROOF_EVENTS_UNASKED_MAX = 20_000;
/** From the signal to the end of the process, in milliseconds. */
export const DRAIN_MS_MAX = 10_000;
/** When a process that has not drained by then ends anyway. */
export const DRAIN_EXIT_MS = 9_500;
/** When a worker that has not drained is killed. Its supervisor still has to disconnect from the database. */
export const DRAIN_WORKER_MS = 8_500;

/** Categories listed if a search has no hits in its category, and the hits in which they are looked for. */
export const CATEGORIES_LISTED_MAX = 20;
export const CATEGORY_MATCHES_MAX = 200;

/** Characters of an `endpoint_path`. */
export const SLUG_LENGTH_MAX = 80;
/** Slugs on each side of a mistyped one that are compared with it. */
export const SLUGS_NEAR_MAX = 50;

assert(PAGE_LIMIT_DEFAULT <= PAGE_LIMIT_MAX, "the default page fits the largest page");
assert(
  LIMITS_DEFAULT.rowBytes <= LIMITS_DEFAULT.requestBodyBytes,
  "the largest row fits the largest request",
);
assert(
  2 * REGISTRATIONS_LIMIT * (YOUNG_CLIENT_SECONDS / 60) < UNUSED_CLIENTS_MAX,
  "registrations that never give way leave room for others",
);
assert(IMPORT_RENEWAL_MS * 2 < IMPORT_LEASE_MS, "an import whose client is slow keeps its feed");
assert(SCHEMA_BYTES_MAX < LIMITS_DEFAULT.requestBodyBytes, "a schema fits a create body");
assert(
  FILTER_WALK_ROWS * LIMITS_DEFAULT.rowBytes < FILTER_WALK_BYTES,
  "an index is asked for before a read without it is refused",
);
assert(ADMISSION_BATCHES.batchMax <= ADMISSION_BATCHES.queueMax, "a full batch fits the queue");
assert(
  ADMISSION_BATCHES.waitingFree < ADMISSION_BATCHES.queueMax,
  "overload is noticed by pace before the queue is full",
);
assert(DATABASE_WAITING_FREE < DATABASE_WAITING_MAX, "and so it is for statements");
assert(
  DATABASE_CONNECTIONS_SPARED > ADMISSION_BATCHES.flightsMax,
  "admission always finds a connection, and so does a refund beside it",
);
assert(DATABASE_CONNECTIONS_SPARED < DATABASE_CONNECTIONS_MAX, "pages have connections, too");
assert(ADMISSION_BATCHES.batchMax < 2 ** 14, "a read's place in its batch fits its usage id");
assert(
  REFUSALS_WAIT_SECONDS_MAX < IDLE_SECONDS_MAX,
  "a refusal that waits for its turn comes before its connection is closed",
);
assert(DRAIN_WORKER_MS < DRAIN_EXIT_MS && DRAIN_EXIT_MS < DRAIN_MS_MAX, "a drain ends from below");
assert(VIEWERS_MAX < WAITS_MAX / 2, "viewers leave places to readers");
assert(WAITS_MAX < CONNECTIONS_MAX, "readers that wait leave connections to the others");
assert(RELIABILITY_HISTORY_MS < PUSH_HISTORY_MS, "reliability has all the pushes that it looks at");
