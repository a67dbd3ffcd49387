/**
 * A request of a tool in this process to one of the routes. It passes through the route like every request, so the same
 * checks, limits, charges, and receipts apply. It carries options that HTTP does not offer.
 *
 * @module
 */
import type { WindowState } from "../admission/claims.ts";
import { type FaceWords, HTTP_WORDS, TOOL_WORDS } from "../http/face_words.ts";

/** Options that only tools have. */
export interface ToolWishes {
  /** Top-level members to keep of each row. */
  readonly fields?: readonly string[] | undefined;
  /** Catalog: only feeds of this category. */
  readonly category?: string | undefined;
  /**
   * Receives the rows of a read that was logged, instead of the answer's body. If it throws, the read is refunded, so a
   * tool does everything that may fail in this function.
   */
  readonly take?: (rows: RowsTaken) => void;
}

/** A page of rows, and the information about it. */
export interface RowsTaken {
  /** JSON text of an array, in parts to join. Answers may share the parts. */
  readonly rows: readonly string[];
  /** Where the next page is. */
  readonly next:
    | { readonly has_more: boolean; readonly next_cursor: string | null }
    | { readonly next_offset: string; readonly up_to_date: boolean };
  /** The requested ids that the feed does not contain. */
  readonly missing?: readonly string[];
  /** The requested fields that no row contains. */
  readonly fieldsNotFound: readonly string[];
  /** JSON text of the receipt. Undefined if nothing was charged. */
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

/** The names, in the sender's interface, of what a refusal refers to. */
export function wordsOf(request: Request): FaceWords {
  return request instanceof ToolRequest ? TOOL_WORDS : HTTP_WORDS;
}

/** The request's options. None if it came over HTTP. */
export function wishesOf(request: Request): ToolWishes {
  return request instanceof ToolRequest ? request.wishes : NO_WISHES;
}

const NO_WISHES: ToolWishes = {};
