/**
 * Resources that can be read: data, metadata, catalog, search. A resource defines what it is and how to build it. The
 * pipeline decides when (`pipeline.ts`).
 *
 * @module
 */

import type { Claim, Grant, WindowState } from "../../admission/claims.ts";
import type { Remembered } from "../../admission/proofs.ts";
import type { Answer } from "../../http/answer.ts";

/** A resource that was built. */
export interface Shown<Seen = null> {
  /** What the page was made from, for a caller that continues from there. */
  readonly seen: Seen;
  /** The version that it shows: of the feed's data, or of its row for metadata. Null if it belongs to no feed. */
  readonly version: bigint | null;
  /** The position after which a follower's page begins. Newer events are on the next page. */
  readonly beginsAfter?: bigint;
  /** Calls that it costs, if known only after it was built. At most as many as were claimed. */
  readonly units?: bigint;
  /** 200, with the receipt of a read that was logged. */
  answer(grant: Grant): Answer | Promise<Answer>;
  /** The answer of a read that found nothing to charge for. It is counted with the 304s. */
  readonly empty?: EmptyShown;
}

/** An empty page, at a version of the feed's data. */
export interface EmptyShown {
  readonly version: bigint;
  /** 200. `window` is the one that counts a read with rows. */
  answer(window: WindowState): Answer;
}

/** A resource without its body, for HEAD and 304. */
interface Description<Seen> {
  /** See `Shown`. */
  readonly seen: Seen;
  /** Headers of a 304. Without an `ETag`, there is no 304. */
  readonly cachingHeaders: Readonly<Record<string, string>>;
  /** 200 for HEAD. `window` is the one that counts a GET. */
  head(window: WindowState): Answer;
}

export interface Resource<Seen = null> {
  readonly claim: Claim;
  /**
   * Builds the page at this version or a newer one. With null, a page in memory is new enough. `repeated` is the read
   * that this one repeats.
   * @throws {Problem} every 400, 404, and 410 that only building it reveals
   */
  build(atLeast: bigint | null, repeated?: Remembered): Promise<Shown<Seen>>;
  /** Describes it at the data version that is proven to be the newest. @throws {Problem} as `build` */
  describe(dataVersion: bigint | null): Promise<Description<Seen>>;
}
