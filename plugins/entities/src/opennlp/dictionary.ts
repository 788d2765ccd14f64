import { lowerCase } from './java-characters.ts';
import { readXml } from './xml-elements.ts';

/** Separates the tokens of an entry. No token contains it. */
const SEPARATOR = '\u0000';

/** A dictionary in the XML format of OpenNLP: entries of one or more tokens. */
export class Dictionary {
  /** The number of tokens of the longest entry. */
  readonly maxTokens: number;
  readonly #ignoresCase: boolean;
  readonly #entries: ReadonlySet<string>;

  /** Throws if the file is not well-formed XML. */
  constructor(file: Buffer) {
    const root = readXml(file.toString());
    this.#ignoresCase = (root.attributes.case_sensitive ?? 'true').toLowerCase() !== 'true';
    const entries = root.children.map((entry) => entry.children.map(({ text }) => text));
    this.maxTokens = entries.reduce((most, { length }) => Math.max(most, length), 0);
    this.#entries = new Set(entries.map((tokens) => this.#key(tokens)));
  }

  has(tokens: readonly string[]): boolean {
    return this.#entries.has(this.#key(tokens));
  }

  #key(tokens: readonly string[]): string {
    const key = tokens.join(SEPARATOR);
    return this.#ignoresCase ? lowerCase(key) : key;
  }
}

/** Reads the clusters of words: a line is a word, a blank and the name of its cluster. Other lines have no effect. */
export function readWordClusters(file: Buffer): ReadonlyMap<string, string> {
  return clustersIn(file, ' ', [2, 3]);
}

/** Reads the clusters of Brown: a line is a word, a tab and the path of its cluster, such as 0110. */
export function readBrownClusters(file: Buffer): ReadonlyMap<string, string> {
  return clustersIn(file, '\t', [2]);
}

function clustersIn(file: Buffer, separator: string, columns: readonly number[]): Map<string, string> {
  const rows = file
    .toString()
    .split(/\r\n|[\r\n]/)
    .map((line) => line.split(separator));
  return new Map(rows.filter(({ length }) => columns.includes(length)) as [string, string][]);
}
