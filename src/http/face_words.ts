/**
 * The names in refusals for what the caller can use: routes and headers over HTTP, tools and arguments over MCP. With
 * them, each refusal is written only once.
 *
 * @module
 */

export interface FaceWords {
  readonly findFeeds: string;
  readonly readFeed: string;
  /** How an account asks for credits. */
  readonly topUp: string;
  /** How a feed is bought at a price in credits. */
  buy(feedId: string | undefined, credits: string): string;
  /** How an account asks for access to a feed. */
  requestAccess(feedId: string | undefined): string;
  /** What a parameter or header is called. */
  nameOf(parameter: string): string;
  /** What names a feed. */
  readonly reference: string;
  readonly idempotencyKey: string;
  /** The most that a call may cost. */
  readonly maxCredits: string;
  /** What to do about a price that is above it. */
  readonly aboveMaxCredits: { readonly read: string; readonly purchase: string };
  /** Says that a text of this length is longer than the caller allows. */
  tooManyChars(chars: number): string;
  /** What makes a document shorter. */
  readonly parts: string;
  readonly searchMissing: string;
  /** A singleton has no rows to pick. @param name of the parameter that picks them */
  noRows(name: string): string;
}

export const HTTP_WORDS: FaceWords = {
  findFeeds: "GET /v1/catalog",
  readFeed: "GET /v1/feed/{id}",
  topUp: "POST /v1/topups",
  buy: (feedId, credits) => `POST /v1/feed/${feedId}/purchase and {"max_credits": ${credits}}`,
  requestAccess: (feedId) => `POST /v1/feed/${feedId}/access-requests`,
  nameOf: (parameter) => parameter,
  reference: "id or endpoint_path",
  idempotencyKey: "Idempotency-Key",
  maxCredits: "Feedgate-Max-Credits",
  aboveMaxCredits: {
    read: "Raise it or leave it out.",
    purchase: "Raise it if the feed is worth its price to you.",
  },
  tooManyChars: (chars) => `has ${chars} characters, which is more than Feedgate-Max-Chars allows`,
  parts: "jsonpath",
  searchMissing: "q is missing or blank. Send words to search for, as in /v1/search?q=earthquakes.",
  noRows,
};

function noRows(name: string): string {
  return `${name} applies only to collections and streams, and this feed is a singleton. Leave it out.`;
}

const ASK_FIRST = "Ask the user before you raise it.";

export const PAGE_WORDS: FaceWords = {
  ...HTTP_WORDS,
  findFeeds: "the catalog",
  readFeed: "the button on its page",
  topUp: "the form on your account's page",
  buy: () => "the button on its page",
  requestAccess: () => "the form on its page",
  reference: "id or slug",
  idempotencyKey: "form",
};

export const TOOL_WORDS: FaceWords = {
  findFeeds: "search_feeds",
  readFeed: "read_feed",
  topUp: "top_up",
  buy: (_, credits) => `buy_feed and max_credits ${credits}, once the user has agreed to the price`,
  requestAccess: () => "request_access, once the user has agreed to it",
  nameOf: (parameter) => (parameter === "feedgate-max-credits" ? "max_credits" : parameter),
  reference: "id or slug",
  idempotencyKey: "idempotency_key",
  maxCredits: "max_credits",
  aboveMaxCredits: { read: ASK_FIRST, purchase: ASK_FIRST },
  tooManyChars: (chars) =>
    `has ${chars} characters, which together with the receipt and the limits exceeds max_chars`,
  parts: "fields or jsonpath",
  searchMissing: "query is blank. Send words to search for, such as earthquakes.",
  noRows: (name) =>
    name === "ids" ? "A singleton has no rows with ids. Read it with read_feed." : noRows(name),
};
