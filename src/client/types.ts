/**
 * Types of the API's request and response bodies, and of the client's own results.
 *
 * The client's own results have camel-case members (`nextCursor`). Bodies that the client returns unchanged keep the
 * names of the API (`credits_charged`), which the gateway's reference describes.
 *
 * @module
 */
import type { components } from "./generated/api.ts";

type Schemas = components["schemas"];

/** An account's request for access to a feed, with its status and the provider's answer. */
export type AccessRequest = Schemas["AccessRequest"];
/** A page of requests for access. */
export type AccessRequests = Schemas["AccessRequests"];
/** The key's account: balance, budget and limits. */
export type Account = Schemas["Account"];
/** The purchase of a feed, new or existing, with the balance and the receipt. */
export type Bought = Schemas["Bought"];
/** A page of all public feeds. */
export type Catalog = Schemas["Catalog"];
/** The fields of a new feed. */
export type NewFeed = Schemas["CreateFeed"];
/** The fields to change in a feed. */
export type FeedChanges = Schemas["EditFeed"];
/** The metadata of a feed: schema, sample, price and size. */
export type FeedMetadata = Schemas["FeedMetadata"];
/** An account that was granted access to a feed. */
export type FeedReader = Schemas["FeedReader"];
/** A page of the accounts that were granted access to a feed. */
export type FeedReaders = Schemas["FeedReaders"];
/** The receipt of a call, as in the usage log. */
export type Origin = Schemas["Origin"];
/** A page of the account's own feeds. */
export type OwnFeeds = Schemas["OwnFeeds"];
/** A problem document (RFC 9457), which describes why a call was refused. */
export type Problem = Schemas["Problem"];
/** A page of the account's purchases. */
export type Purchases = Schemas["Purchases"];
/** The receipt of one request of a push. */
export type PushResult = Schemas["PushResult"];
/** An invitation of an email address to read a feed. */
export type ReaderInvitation = Schemas["ReaderInvitation"];
/** All open invitations to read a feed. */
export type ReaderInvitations = Schemas["ReaderInvitations"];
/** A page of search results. */
export type SearchResults = Schemas["SearchResults"];
/** A page of the usage log. */
export type Usage = Schemas["Usage"];
/** A webhook: a URL that the gateway sends notices to. */
export type Webhook = Schemas["Webhook"];
/** A new webhook, with its secret, which is shown only once. */
export type CreatedWebhook = Schemas["CreatedWebhook"];
/** A webhook's new secret, which is shown only once. */
export type RotatedWebhook = Schemas["RotatedWebhook"];
/** The delivery of a test notice, which is sent in the background. */
export type TestedWebhook = Schemas["TestedWebhook"];
/** The delivery of a notice that is sent again. */
export type ResentDelivery = Schemas["ResentDelivery"];
/** A page of a webhook's deliveries. */
export type WebhookDeliveries = Schemas["WebhookDeliveries"];
/** A feed as its owner sees it, returned by create and edit. */
export type WrittenFeed = Schemas["WrittenFeed"];

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call and its retries. The call then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** A page of rows. */
export interface ReadPage<Row> {
  /** The rows. A singleton's document is a single row. With `jsonpath`, each result is a row. */
  readonly rows: readonly Row[];
  /** The `cursor` of the next page; null on the last page. */
  readonly nextCursor: string | null;
  /** Whether there are more pages. */
  readonly hasMore: boolean;
  /** The receipt. If the page is unchanged and comes from the cache, the receipt of the read that was charged. */
  readonly origin: Origin;
}

/** A page of a stream, in order of arrival. */
export interface StreamPage<Row> {
  readonly rows: readonly Row[];
  /** The offset after these rows. Save it after you have processed them. */
  readonly nextOffset: string;
  /** Whether there are no newer events. */
  readonly isUpToDate: boolean;
  /** The receipt. Null if the page has no rows; such a page is free. */
  readonly origin: Origin | null;
}

/** The total of all requests of a `push`. */
export interface PushSummary {
  /** The number of requests that were sent. */
  readonly requests: number;
  /** Rows in these requests. */
  readonly rowsReceived: number;
  /** New rows. */
  readonly rowsInserted: number;
  /** Existing rows that were replaced. */
  readonly rowsUpdated: number;
  /** Rows that the feed already contained. */
  readonly rowsDuplicate: number;
  /** The id of the batch; null if the rows were added to the current batch. */
  readonly batchId: string | null;
  /** The receipt of the last request; null before the first one. */
  readonly receipt: PushResult | null;
}

/** A chunk of an export. */
export interface ExportPart<Row> {
  readonly rows: readonly Row[];
  /** The total number of rows in the export, or, if it was resumed, of the remaining rows. */
  readonly rowCount: number;
  /**
   * Pass this as the option `resume` to continue after these rows without another charge. Valid for 24 hours, as long
   * as the exported version is available.
   */
  readonly resume: string;
}

/** Progress of an import. */
export interface ImportProgress {
  /** Rows that the gateway has read so far. */
  readonly rows: number;
  /** Bytes of the file that the gateway has read so far. */
  readonly bytes: number;
}

/** The receipt of an import: that of a push, without the outcome of each row. */
export type ImportReceipt = Omit<PushResult, "row_outcomes">;

/** A JSON object of unknown shape, which is the default type of a row. */
export type JsonObject = { readonly [name: string]: unknown };
