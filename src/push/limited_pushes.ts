/**
 * The history of pushes that are refused by rate.
 *
 * They may arrive as fast as a client can send, so they are not written one by one. A feed's refusals in a minute share
 * one row, which counts them. A process updates it with the first, the 10th, the 100th (and so on) refusal of the
 * minute. So a flood costs a few statements a minute, and the count is correct within a factor of ten.
 *
 * @module
 */
import { BoundedMap } from "../lib/bounded_map.ts";
import { MS_PER_MINUTE } from "../lib/time_units.ts";
import { LIMITED_FEEDS_MAX } from "../limits.ts";

const FACTOR = 10;

interface Minute {
  readonly number: number;
  readonly refused: number;
  /** The count at which the row is written next. */
  readonly nextAt: number;
  readonly written: number;
}

/** How many refusals of a feed to write now. 0 means they are counted and written later. */
export type CountLimited = (feedId: string, nowMs: number) => number;

export function createLimitedPushes(): CountLimited {
  const minutes = new BoundedMap<string, Minute>(LIMITED_FEEDS_MAX);
  return (feedId, nowMs) => {
    const number = Math.floor(nowMs / MS_PER_MINUTE);
    const known = minutes.get(feedId);
    const { refused, nextAt, written } =
      known?.number === number ? known : { refused: 0, nextAt: 1, written: 0 };
    const count = refused + 1;
    const isDue = count >= nextAt;
    minutes.set(feedId, {
      number,
      refused: count,
      nextAt: isDue ? nextAt * FACTOR : nextAt,
      written: isDue ? count : written,
    });
    return isDue ? count - written : 0;
  };
}
