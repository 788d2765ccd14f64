/** Values of labels by their names. */
export type Labels = Readonly<Record<string, string>>;

/** One line of the exposition: the suffix comes after the name of its family. */
export interface Sample {
  readonly suffix?: '_bucket' | '_sum' | '_count';
  readonly labels: Labels;
  readonly value: number;
}

/** Samples of one name, as Prometheus takes them. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  samples(): Iterable<Sample>;
}

/** Label sets of a family. Whatever clients send and configs name, the memory for it is bounded. */
const MAX_SERIES = 500;
const OTHER = 'other';

/** A count by labels that events move. */
export class CounterFamily<L extends string = never> implements Family {
  readonly type = 'counter';
  readonly name: string;
  readonly help: string;
  readonly #series: Series<L, { value: number }>;

  /** @param known label sets that are there from the start, with 0: a rate needs a value before the first event */
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

/** How values are spread over buckets, by labels. */
export class HistogramFamily<L extends string = never> implements Family {
  readonly type = 'histogram';
  readonly name: string;
  readonly help: string;
  readonly #bounds: readonly number[];
  readonly #series: Series<L, { counts: number[]; sum: number }>;

  /** @param bounds upper ends of the buckets, rising; the last bucket, without an end, is added */
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

/** A family whose values are read when somebody asks: one number, or one for each label set. */
export function readFamily(
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  read: () => number | Iterable<Sample>,
): Family {
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

/** What is counted for each label set. Beyond the bound, sets that are not known yet share one. */
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
