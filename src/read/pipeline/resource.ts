/**
 * What can be read: data, metadata, catalog, search. A resource says what it is and how to build it; the
 * pipeline says when (`pipeline.ts`).
 *
 * @module
 */

import type { Claim, Grant, WindowState } from "../../admission/claims.ts";
import type { Remembered } from "../../admission/proofs.ts";
import type { Answer } from "../../http/answer.ts";

/** A resource, built. */
export interface Shown<Seen = null> {
  /** What the page was made of, for a caller that goes on from there. */
  readonly seen: Seen;
  /** The version that it shows: of the feed's data, or for metadata of its row; null: of no feed. */
  readonly version: bigint | null;
  /** Of a follower's page: the position behind which it begins. Newer events are on the next page. */
  readonly beginsAfter?: bigint;
  /** Calls that it costs, if that could not be known before it was built; no more than were claimed. */
  readonly units?: bigint;
  /** 200, with the receipt of a read that was logged. */
  answer(grant: Grant): Answer | Promise<Answer>;
  /** The answer of a read that found nothing to charge for. It is counted with the 304s. */
  readonly empty?: EmptyShown;
}

/** An empty page, at a version of the feed's data. */
export interface EmptyShown {
  readonly version: bigint;
  /** 200; `window` is the one that a read with rows is counted in. */
  answer(window: WindowState): Answer;
}

/** A resource without its body: for HEAD, and for 304. */
interface Description<Seen> {
  /** As in `Shown`. */
  readonly seen: Seen;
  /** Headers of a 304; without an `ETag` there is none. */
  readonly cachingHeaders: Readonly<Record<string, string>>;
  /** 200 for HEAD; `window` is the one that a GET is counted in. */
  head(window: WindowState): Answer;
}

export interface Resource<Seen = null> {
  readonly claim: Claim;
  /**
   * Builds the page at this version or a newer one; null: a page in memory is new enough. `repeated` is the read that
   * this one repeats.
   * @throws {Problem} every 400, 404 and 410 that is found only by building it
   */
  build(atLeast: bigint | null, repeated?: Remembered): Promise<Shown<Seen>>;
  /** Describes it at the data version that is proven to be the newest. @throws {Problem} as `build` */
  describe(dataVersion: bigint | null): Promise<Description<Seen>>;
}
