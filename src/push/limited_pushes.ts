/**
 * The history of pushes that are refused by rate. Beyond 11.
 *
 * They may come as fast as a client can send, so they are not written one by one. Those of a feed and minute are one
 * row, which counts them. A process adds to it with the first, the 10th, the 100th and so on that it refuses in the
 * minute. So a flood costs a few statements a minute, and the count is right to a factor of ten.
 *
 * @module
 */
import { BoundedMap } from "../lib/bounded_map.ts";
import { MS_PER_SECOND } from "../lib/time_units.ts";
import { LIMITED_FEEDS_MAX } from "../limits.ts";

const MS_PER_MINUTE = 60 * MS_PER_SECOND;
const FACTOR = 10;

interface Minute {
  readonly number: number;
  readonly refused: number;
  /** At how many the row is written again. */
  readonly nextAt: number;
  readonly written: number;
}

/** How many refusals of a feed are to be written now; 0: they are counted, and wait. */
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
