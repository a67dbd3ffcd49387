/**
 * Counts of the request path, kept as plain numbers until somebody asks.
 *
 * prom-client looks labels up and checks them at every count and observation, which took a tenth of a
 * read's time; so it hears of many at once, when it collects.
 *
 * @module
 */
import { Counter, type CounterConfiguration } from "prom-client";

/** Observations that are kept until they are told. */
const UNTOLD_MAX = 512;

/** One combination of labels of a counter: what was counted since prom-client was told. */
export class Tally {
  count = 0;

  constructor(readonly labels: Readonly<Record<string, string>>) {}
}

/** A counter of the request path. */
export class Tallies {
  readonly #tallies: Tally[] = [];

  constructor(options: CounterConfiguration<string>) {
    const tallies = this.#tallies;
    new Counter({
      ...options,
      collect() {
        for (const tally of tallies) {
          this.inc(tally.labels, tally.count);
          tally.count = 0;
        }
      },
    });
  }

  of(labels: Readonly<Record<string, string>> = {}): Tally {
    const tally = new Tally(labels);
    this.#tallies.push(tally);
    return tally;
  }
}

/** What was observed of one combination of labels of a histogram, told many at once. */
export class Observations {
  readonly #untold = new Float64Array(UNTOLD_MAX);
  readonly #tellOne: (value: number) => void;
  #size = 0;

  constructor(tellOne: (value: number) => void) {
    this.#tellOne = tellOne;
  }

  add(value: number): void {
    if (this.#size === UNTOLD_MAX) this.tell();
    this.#untold[this.#size] = value;
    this.#size += 1;
  }

  tell(): void {
    for (const value of this.#untold.subarray(0, this.#size)) this.#tellOne(value);
    this.#size = 0;
  }
}
