/**
 * A request of a tool in this process to one of the routes. It goes through the route as every request, so the same
 * checks, limits, charges and receipts hold. It carries wishes that HTTP has no words for. Beyond 4.
 *
 * @module
 */
import type { WindowState } from "../admission/claims.ts";
import { type FaceWords, HTTP_WORDS, TOOL_WORDS } from "../http/face_words.ts";

/** What a route does for a tool only. */
export interface ToolWishes {
  /** Top-level members to keep of each row. */
  readonly fields?: readonly string[] | undefined;
  /** Catalog: only feeds of this category. */
  readonly category?: string | undefined;
  /**
   * Takes the rows of a read that was logged, in place of the answer's body. If it throws, the read is refunded. So
   * a tool does here whatever may fail.
   */
  readonly take?: (rows: RowsTaken) => void;
}

/** A page of rows, and what belongs to it. */
export interface RowsTaken {
  /** JSON text of an array, in parts to join. Answers may share the parts. */
  readonly rows: readonly string[];
  /** Where the next page is. */
  readonly next:
    | { readonly has_more: boolean; readonly next_cursor: string | null }
    | { readonly next_offset: string; readonly up_to_date: boolean };
  /** The asked ids that the feed does not have. */
  readonly missing?: readonly string[];
  /** The asked fields that no row has. */
  readonly fieldsNotFound: readonly string[];
  /** JSON text of the receipt; undefined if nothing was charged for. */
  readonly origin: string | undefined;
  readonly window: WindowState;
}

export class ToolRequest extends Request {
  constructor(
    url: string,
    init: RequestInit,
    readonly wishes: ToolWishes,
  ) {
    super(url, init);
  }
}

/** What a refusal of the request calls the things that its sender can use. */
export function wordsOf(request: Request): FaceWords {
  return request instanceof ToolRequest ? TOOL_WORDS : HTTP_WORDS;
}

/** The wishes of a request; none if it came over HTTP. */
export function wishesOf(request: Request): ToolWishes {
  return request instanceof ToolRequest ? request.wishes : NO_WISHES;
}

const NO_WISHES: ToolWishes = {};
