import { parse, toValue } from '@headrace/hocon';

type Values = Readonly<Record<string, unknown>>;

/** The blocks of indexers whose name is not the type in lower case. */
const BLOCKS: Readonly<Record<string, string>> = { jsonlines: 'jsonl' };
/** The parameters that name the place in a server, the most specific ones first. */
const PLACES = ['index', 'collection', 'collectionName', 'table', 'topic', 'className', 'namespace'] as const;

/** Where the documents of a run go. */
export interface RunDestination {
  /** The index, collection or table. Undefined for a file, and for Solr, whose address contains it. */
  readonly place: string | undefined;
  /** The address of the server, or the path of the file, without a password. */
  readonly address: string | undefined;
}

/**
 * Returns where a config writes. Returns undefined if the config does not say it, for example because the value comes
 * from the environment.
 * @param overrides the overrides of the run
 */
export function runDestination(text: string, overrides: Values = {}): RunDestination | undefined {
  const { root, problems } = parse(text);
  if (problems.length > 0) return undefined;
  const config = toValue(root) as Values;
  const indexer = { ...objectOf(config['indexer']), ...objectOf(overrides['indexer']) };
  if (indexer['sendEnabled'] === false || typeof indexer['type'] !== 'string') return undefined;
  const type = indexer['type'].toLowerCase();
  const block = BLOCKS[type] ?? type;
  const values = { ...objectOf(config[block]), ...objectOf(overrides[block]) };
  const place = PLACES.map((name) => textOf(values[name])).find((value) => value !== undefined);
  const address = withoutPassword(textOf(values['url']) ?? textOf(values['path']));
  return place === undefined && address === undefined ? undefined : { place, address };
}

function objectOf(value: unknown): Values {
  return typeof value === 'object' && value !== null ? (value as Values) : {};
}

function textOf(value: unknown): string | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' && first !== '' ? first : undefined;
}

function withoutPassword(address: string | undefined): string | undefined {
  return address?.replace(/^([a-z+]+:\/\/)[^/@]*@/i, '$1');
}
