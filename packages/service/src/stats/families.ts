/** The labels of a sample: values by name. */
export type Labels = Readonly<Record<string, string>>;

/** One line in the Prometheus text format. The suffix is added to the name of the family. */
export interface Sample {
  readonly suffix?: '_bucket' | '_sum' | '_count';
  readonly labels: Labels;
  readonly value: number;
}

/** A metric with its samples, in the data model of Prometheus. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  samples(): Iterable<Sample>;
}

/** The maximum number of label sets per family. It limits the memory, because clients and configs choose the labels. */
const MAX_SERIES = 500;
const OTHER = 'other';

/** A counter with labels. */
export class CounterFamily<L extends string = never> implements MetricFamily {
  readonly type = 'counter';
  readonly name: string;
  readonly help: string;
  readonly #series: Series<L, { value: number }>;

  /**
   * @param known label sets that exist from the start with the value 0, because a rate needs a value before the first
   * event
   */
  constructor(name: string, help: string, known: readonly Record<L, string>[] = []) {
    this.name = name;
    this.help = help;
    this.#series = new Series(() => ({ value: 0 }));
    for (const labels of known) this.#series.get(labels);
  }

  add(labels: Record<L, string>, amount = 1): void {
    this.#series.get(labels).value += amount;
  }

  *samples(): Generator<Sample> {
    for (const [labels, { value }] of this.#series) yield { labels, value };
  }
}

/** A histogram with labels. */
export class HistogramFamily<L extends string = never> implements MetricFamily {
  readonly type = 'histogram';
  readonly name: string;
  readonly help: string;
  readonly #bounds: readonly number[];
  readonly #series: Series<L, { counts: number[]; sum: number }>;

  /** @param bounds the upper bounds of the buckets, in ascending order; a last bucket without a bound is added */
  constructor(name: string, help: string, bounds: readonly number[], known: readonly Record<L, string>[] = []) {
    this.name = name;
    this.help = help;
    this.#bounds = bounds;
    this.#series = new Series(() => ({ counts: new Array<number>(bounds.length + 1).fill(0), sum: 0 }));
    for (const labels of known) this.#series.get(labels);
  }

  observe(labels: Record<L, string>, value: number): void {
    const { counts } = this.#series.get(labels);
    this.#series.get(labels).sum += value;
    const bucket = this.#bounds.findIndex((bound) => value <= bound);
    (counts[bucket < 0 ? this.#bounds.length : bucket] as number)++;
  }

  *samples(): Generator<Sample> {
    for (const [labels, { counts, sum }] of this.#series) {
      let below = 0;
      for (const [i, count] of counts.entries()) {
        below += count;
        const le = i < this.#bounds.length ? String(this.#bounds[i]) : '+Inf';
        yield { suffix: '_bucket', labels: { ...labels, le }, value: below };
      }
      yield { suffix: '_sum', labels, value: sum };
      yield { suffix: '_count', labels, value: below };
    }
  }
}

/** Returns a family whose values are read on request: one number, or one per label set. */
export function readFamily(
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  read: () => number | Iterable<Sample>,
): MetricFamily {
  return {
    type,
    name,
    help,
    samples: () => {
      const value = read();
      return typeof value === 'number' ? [{ labels: {}, value }] : value;
    },
  };
}

/** The values per label set. Beyond the maximum number of label sets, new ones share one entry. */
class Series<L extends string, T> {
  readonly #items = new Map<string, [Labels, T]>();
  readonly #make: () => T;

  constructor(make: () => T) {
    this.#make = make;
  }

  get(labels: Record<L, string>): T {
    const key = Object.values<string>(labels).join('\u0000');
    const known = this.#items.get(key);
    if (known !== undefined) return known[1];
    if (this.#items.size < MAX_SERIES) return this.#add(key, labels);
    const others = Object.fromEntries(Object.keys(labels).map((name) => [name, OTHER]));
    return this.#items.get(OTHER)?.[1] ?? this.#add(OTHER, others);
  }

  #add(key: string, labels: Labels): T {
    const item = this.#make();
    this.#items.set(key, [{ ...labels }, item]);
    return item;
  }

  [Symbol.iterator](): Iterator<[Labels, T]> {
    return this.#items.values();
  }
}
