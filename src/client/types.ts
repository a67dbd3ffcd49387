/**
 * Names for the bodies of the gateway's API, and what a client gives back in their place.
 *
 * A page's members have the names of this language (`nextCursor`). Bodies that are passed on as they came have those of
 * the API (`credits_charged`), under which the reference explains them.
 *
 * @module
 */
import type { components } from "./generated/api.ts";

type Schemas = components["schemas"];

/** The account that owns the key: balance, budget, limits. */
export type Account = Schemas["Account"];
/** A feed that was bought, now or before. */
export type Bought = Schemas["Bought"];
/** A page of all public feeds. */
export type Catalog = Schemas["Catalog"];
/** What a feed is created with. */
export type NewFeed = Schemas["CreateFeed"];
/** What is changed in a feed. */
export type FeedChanges = Schemas["EditFeed"];
/** What is said of a feed: schema, sample, price, size. */
export type FeedMetadata = Schemas["FeedMetadata"];
/** The receipt of a call, as it is in the usage log. */
export type Origin = Schemas["Origin"];
/** A page of the account's own feeds. */
export type OwnFeeds = Schemas["OwnFeeds"];
/** A refusal, RFC 9457. */
export type Problem = Schemas["Problem"];
/** A page of what the account has bought. */
export type Purchases = Schemas["Purchases"];
/** The receipt of one request of a push. */
export type PushResult = Schemas["PushResult"];
/** A page of what a search has found. */
export type SearchResults = Schemas["SearchResults"];
/** A page of the usage log. */
export type Usage = Schemas["Usage"];
/** A feed as its owner sees it. */
export type WrittenFeed = Schemas["WrittenFeed"];

/** Every call takes this. */
export interface CallOptions {
  /** Ends the call, its retries included: it throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** A page of rows. */
export interface ReadPage<Row> {
  /** A singleton's document is one row. What a `jsonpath` picks is rows, too. */
  readonly rows: readonly Row[];
  /** `cursor` of the next page; null on the last one. */
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
  /** The receipt. Of a page that has not changed since it was read, that of the read that paid for it. */
  readonly origin: Origin;
}

/** A page of a stream in the order of arrival. */
export interface StreamPage<Row> {
  readonly rows: readonly Row[];
  /** Goes on behind these rows. Keep it when you are done with them. */
  readonly nextOffset: string;
  /** Whether these are the newest. */
  readonly isUpToDate: boolean;
  /** The receipt; null where there are no rows, which costs nothing. */
  readonly origin: Origin | null;
}

/** What a `push` did, over all of its requests. */
export interface PushSummary {
  readonly requests: number;
  readonly rowsReceived: number;
  readonly rowsInserted: number;
  readonly rowsUpdated: number;
  /** Rows that were there already. */
  readonly rowsDuplicate: number;
  /** The batch that the rows went to; null if they went to none of their own. */
  readonly batchId: string | null;
  /** The receipt of the newest request; null before the first. */
  readonly receipt: PushResult | null;
}

/** Some rows of an export. */
export interface ExportPart<Row> {
  readonly rows: readonly Row[];
  /** Rows of this answer in all: of the feed, or, if the export was resumed, of what was left. */
  readonly rowCount: number;
  /** Goes on behind these rows, within 24 hours and while the version is there, and is not charged again. */
  readonly resume: string;
}

/** How far an import is. */
export interface ImportProgress {
  /** Rows of the file that the gateway has read. */
  readonly rows: number;
  /** Bytes of the file that it has read. */
  readonly bytes: number;
}

/** The receipt of an import. */
export type ImportReceipt = Omit<PushResult, "row_outcomes">;

/** What a row is, if nothing more is known: an object. */
export type JsonObject = { readonly [name: string]: unknown };
