/** A metric family in the Prometheus text format. */
export interface ReadFamily {
  type: string;
  help: string;
  /** The values by name and labels of the sample, sorted by label: `name{a="b"}`. */
  samples: Map<string, number>;
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/;
const NUMBER = /^(?:NaN|[+-]Inf|[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;

/**
 * Reads the Prometheus text format 0.0.4. Throws an error with the line for everything that `promtool check metrics`
 * reports: lines in the wrong order, duplicate families or samples, samples without a family, names that break the
 * conventions, and inconsistent histograms.
 */
export function readExposition(text: string): Map<string, ReadFamily> {
  const families = new Map<string, ReadFamily>();
  if (!text.endsWith('\n')) throw new Error('The last line has no end');
  let name = '';
  let help: string | undefined;
  for (const line of text.slice(0, -1).split('\n')) {
    const fail = (why: string) => new Error(`${why}: ${line}`);
    const [, keyword, family = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (keyword === 'HELP') {
      if (families.has(family) || !NAME.test(family)) throw fail('A family comes twice, or has no name');
      [name, help] = [family, rest];
    } else if (keyword === 'TYPE') {
      if (family !== name || help === undefined) throw fail('A type without a help before it');
      if (!['counter', 'gauge', 'histogram'].includes(rest)) throw fail('No type');
      checkName(family, rest);
      families.set(name, { type: rest, help, samples: new Map() });
      help = undefined;
    } else {
      const [, sample = '', labels, value = ''] = SAMPLE.exec(line) ?? [];
      const known = families.get(name);
      if (known === undefined || help !== undefined || !belongs(sample, name, known.type)) throw fail('No family');
      if (!NUMBER.test(value)) throw fail('No number');
      const key = `${sample}${sortedLabels(labels, fail)}`;
      if (known.samples.has(key)) throw fail('The same sample again');
      const number = value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value);
      if (known.type !== 'gauge' && !(number >= 0)) throw fail('A count below 0');
      known.samples.set(key, number);
    }
  }
  for (const [family, { type, samples }] of families) if (type === 'histogram') checkHistogram(family, samples);
  return families;
}

/** Checks a name: only counters end in _total, and units are base units. */
function checkName(name: string, type: string): void {
  if (name.endsWith('_total') !== (type === 'counter')) throw new Error(`${name} is a ${type}`);
  if (/_(milli|micro|nano)?(ms|millis|milliseconds|minutes|hours|kb|mb|percent)(_|$)|[A-Z]/.test(name)) {
    throw new Error(`${name} is not in base units, or not in snake case`);
  }
}

function belongs(sample: string, family: string, type: string): boolean {
  if (type !== 'histogram') return sample === family;
  return ['_bucket', '_sum', '_count'].some((suffix) => sample === family + suffix);
}

function sortedLabels(text: string | undefined, fail: (why: string) => Error): string {
  if (text === undefined) return '';
  const labels: string[] = [];
  const names = new Set<string>();
  for (let rest = text; rest !== ''; ) {
    const [whole, name = '', value] = LABEL.exec(rest) ?? [];
    if (whole === undefined || names.has(name)) throw fail('No labels');
    names.add(name);
    labels.push(`${name}="${value}"`);
    rest = rest.slice(whole.length);
  }
  return `{${labels.sort().join(',')}}`;
}

/** Checks that buckets rise and end with +Inf, whose value equals the count. */
function checkHistogram(family: string, samples: ReadonlyMap<string, number>): void {
  const series = new Map<string, { last: number; inf?: number }>();
  for (const [key, value] of samples) {
    if (!key.startsWith(`${family}_bucket`)) continue;
    const [, le] = /le="([^"]*)"/.exec(key) ?? [];
    const labels = key
      .slice(`${family}_bucket`.length)
      .replace(/,?le="[^"]*"/, '')
      .replace('{,', '{');
    const one = series.get(labels) ?? { last: 0 };
    if (le === undefined || value < one.last) throw new Error(`The buckets of ${key} do not rise`);
    series.set(labels, { last: value, ...(le === '+Inf' ? { inf: value } : {}) });
  }
  for (const [labels, { inf }] of series) {
    const suffix = labels === '{}' ? '' : labels;
    if (inf === undefined || samples.get(`${family}_count${suffix}`) !== inf)
      throw new Error(`${family}${labels} has no count`);
    if (!samples.has(`${family}_sum${suffix}`)) throw new Error(`${family}${labels} has no sum`);
  }
}
