/**
 * Names for the bodies of the gateway's API, and for the client's own results.
 *
 * A page's members have camel-case names (`nextCursor`). Bodies that are passed on unchanged have the names of the API
 * (`credits_charged`), which the reference explains.
 *
 * @module
 */
import type { components } from "./generated/api.ts";

type Schemas = components["schemas"];

/** A request of an account to read a feed. */
export type AccessRequest = Schemas["AccessRequest"];
/** A page of requests for access. */
export type AccessRequests = Schemas["AccessRequests"];
/** The account that owns the key: balance, budget, limits. */
export type Account = Schemas["Account"];
/** A purchase, made now or before. */
export type Bought = Schemas["Bought"];
/** A page of all public feeds. */
export type Catalog = Schemas["Catalog"];
/** The fields of a new feed. */
export type NewFeed = Schemas["CreateFeed"];
/** The fields to change in a feed. */
export type FeedChanges = Schemas["EditFeed"];
/** The metadata of a feed: schema, sample, price, size. */
export type FeedMetadata = Schemas["FeedMetadata"];
/** An account that was granted access to a feed. */
export type FeedReader = Schemas["FeedReader"];
/** A page of the accounts that were granted access to a feed. */
export type FeedReaders = Schemas["FeedReaders"];
/** The receipt of a call, as in the usage log. */
export type Origin = Schemas["Origin"];
/** A page of the account's own feeds. */
export type OwnFeeds = Schemas["OwnFeeds"];
/** A refusal, RFC 9457. */
export type Problem = Schemas["Problem"];
/** A page of the account's purchases. */
export type Purchases = Schemas["Purchases"];
/** The receipt of one request of a push. */
export type PushResult = Schemas["PushResult"];
/** An invitation of an address to read a feed. */
export type ReaderInvitation = Schemas["ReaderInvitation"];
/** The open invitations to read a feed. */
export type ReaderInvitations = Schemas["ReaderInvitations"];
/** A page of search results. */
export type SearchResults = Schemas["SearchResults"];
/** A page of the usage log. */
export type Usage = Schemas["Usage"];
/** An address that notices are sent to. */
export type Webhook = Schemas["Webhook"];
/** A new address, with its secret, which is not shown again. */
export type CreatedWebhook = Schemas["CreatedWebhook"];
/** The new secret of an address. */
export type RotatedWebhook = Schemas["RotatedWebhook"];
/** A test on its way. */
export type TestedWebhook = Schemas["TestedWebhook"];
/** A delivery that is sent again. */
export type ResentDelivery = Schemas["ResentDelivery"];
/** A page of deliveries to an address. */
export type WebhookDeliveries = Schemas["WebhookDeliveries"];
/** A feed, as its owner sees it. */
export type WrittenFeed = Schemas["WrittenFeed"];

/** Options of every call. */
export interface CallOptions {
  /** Ends the call, including its retries, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** A page of rows. */
export interface ReadPage<Row> {
  /** A singleton's document is one row. The results of a `jsonpath` are also rows. */
  readonly rows: readonly Row[];
  /** `cursor` of the next page. Null on the last one. */
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
  /** The receipt. For a page that has not changed since it was read, the receipt of the read that paid for it. */
  readonly origin: Origin;
}

/** A page of a stream in arrival order. */
export interface StreamPage<Row> {
  readonly rows: readonly Row[];
  /** The offset after these rows. Save it when you have processed them. */
  readonly nextOffset: string;
  /** Whether there are no newer events. */
  readonly isUpToDate: boolean;
  /** The receipt. Null if there are no rows, which costs nothing. */
  readonly origin: Origin | null;
}

/** The result of a `push`, over all of its requests. */
export interface PushSummary {
  readonly requests: number;
  readonly rowsReceived: number;
  readonly rowsInserted: number;
  readonly rowsUpdated: number;
  /** Rows that existed already. */
  readonly rowsDuplicate: number;
  /** The batch of the rows. Null if they had no batch of their own. */
  readonly batchId: string | null;
  /** The receipt of the latest request. Null before the first. */
  readonly receipt: PushResult | null;
}

/** Some rows of an export. */
export interface ExportPart<Row> {
  readonly rows: readonly Row[];
  /** Total rows of this answer: of the feed, or of the rest if the export was resumed. */
  readonly rowCount: number;
  /** Resumes after these rows without another charge, within 24 hours and while the version is available. */
  readonly resume: string;
}

/** Progress of an import. */
export interface ImportProgress {
  /** Rows of the file that the gateway has read. */
  readonly rows: number;
  /** Bytes of the file that it has read. */
  readonly bytes: number;
}

/** The receipt of an import. */
export type ImportReceipt = Omit<PushResult, "row_outcomes">;

/** A row of unknown shape: an object. */
export type JsonObject = { readonly [name: string]: unknown };
