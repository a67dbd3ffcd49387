/**
 * Counts of the request path, kept as plain numbers until somebody asks.
 *
 * prom-client looks labels up and checks them at every count and observation, which took a tenth of a
 * read's time; so it hears of them when it collects.
 *
 * @module
 */
import {
  Counter,
  type CounterConfiguration,
  type Metric,
  type MetricValueWithName,
  type Registry,
} from "prom-client";

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

/** What was observed of one combination of labels of a histogram. */
export class Observations {
  /** By bucket; the last is for what is over all bounds. */
  readonly #counts: Float64Array;
  readonly #bounds: readonly number[];
  #sum = 0;

  constructor(
    readonly labels: Readonly<Record<string, string>>,
    bounds: readonly number[],
  ) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  add(value: number): void {
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket += 1;
    (this.#counts[bucket] as number) += 1;
    this.#sum += value;
  }

  /** In the form of prom-client: each bucket holds those before it. */
  values(name: string): MetricValueWithName<string>[] {
    const { labels } = this;
    let count = 0;
    const buckets = [...this.#counts].map((own, bucket) => {
      count += own;
      const le = this.#bounds[bucket] ?? "+Inf";
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.#sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}

/** A histogram of the request path: to prom-client's registry one of its own. */
export class ObservedHistogram {
  readonly name: string;
  readonly #options: ObservedHistogramOptions;
  readonly #observations: Observations[] = [];

  constructor(options: ObservedHistogramOptions) {
    this.name = options.name;
    this.#options = options;
    // Of a metric it calls `get` alone.
    options.registry.registerMetric(this as unknown as Metric);
  }

  of(labels: Readonly<Record<string, string>> = {}): Observations {
    const observations = new Observations(labels, this.#options.buckets);
    this.#observations.push(observations);
    return observations;
  }

  async get() {
    const { name, help } = this.#options;
    const values = this.#observations.flatMap((each) => each.values(name));
    return { name, help, type: "histogram", aggregator: "sum", values };
  }
}

export interface ObservedHistogramOptions {
  readonly name: string;
  readonly help: string;
  /** Upper bounds, ascending. */
  readonly buckets: readonly number[];
  readonly registry: Registry;
}
