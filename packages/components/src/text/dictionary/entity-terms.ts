import { type Document, HeadraceError, type StageContext, type UpdateMode } from '@headrace/engine';
import {
  RecentValues,
  type TermSyntax,
  TermTrie,
  TermTrieBuilder,
  type TermTrieData,
} from '@headrace/text-analysis/dictionary';
import type { StorageSettings } from '../../storage/storage-parameters.ts';
import { Storages } from '../../storage/storages.ts';
import { readDictionary } from './dictionary-file.ts';
import { sharedTables } from './shared-tables.ts';

/** The dictionaries to read, and the options for reading them. */
export interface EntityDictionaries {
  readonly dictionaries: readonly string[];
  readonly storage: StorageSettings;
  /** The name of the syntax. Tries with different syntax are not shared. */
  readonly kind: string;
  readonly syntax: TermSyntax;
  /** Whether terms are reported in their folded form instead of their spelling. */
  readonly reportFolded: boolean;
}

/** The terms of dictionaries. They are loaded once for all pipeline threads of the run. */
export class EntityTerms {
  readonly trie: TermTrie;
  readonly #terms: RecentValues<string>;
  readonly #payloads: RecentValues<string>;

  private constructor(data: TermTrieData, syntax: TermSyntax) {
    const trie = new TermTrie(data, syntax.letters);
    this.trie = trie;
    this.#terms = new RecentValues((entry) => trie.term(entry));
    this.#payloads = new RecentValues((entry) => trie.payload(entry));
  }

  /** Reads the dictionaries. The first cell of a row is the term, and the second cell, if it exists, is its payload. */
  static async open(options: EntityDictionaries, context: StageContext): Promise<EntityTerms> {
    const { dictionaries, storage, kind, syntax } = options;
    const origin = [kind, dictionaries, storage];
    return new EntityTerms(await sharedTables(origin, context, () => load(options, context)), syntax);
  }

  term(entry: number): string {
    return this.#terms.get(entry);
  }

  payload(entry: number): string {
    return this.#payloads.get(entry);
  }
}

async function load(options: EntityDictionaries, context: StageContext): Promise<TermTrieData> {
  const { syntax, reportFolded } = options;
  const builder = new TermTrieBuilder(syntax);
  const storages = new Storages(options.storage);
  const onRow = (cells: readonly string[]) => {
    const term = cells[0] as string;
    const folded = syntax.fold(term);
    builder.add(reportFolded ? folded : term, cells[1], folded);
  };
  // All unreadable dictionaries are reported, not only the first.
  const unreadable: HeadraceError[] = [];
  try {
    for (const path of options.dictionaries) {
      try {
        await readDictionary(path, storages, context, onRow);
      } catch (error) {
        if (!(error instanceof HeadraceError)) throw error;
        unreadable.push(error);
      }
    }
  } finally {
    await storages.close();
  }
  const [first, ...others] = unreadable;
  if (first !== undefined && others.length === 0) throw first;
  if (first !== undefined) {
    throw new HeadraceError(first.code, unreadable.map(({ message }) => message).join('; '), { cause: first });
  }
  return builder.finish();
}

/** The settings for writing the entities that were found. */
export interface EntityOutput {
  readonly usePayloads: boolean;
  readonly entityField: string | undefined;
  readonly updateMode: UpdateMode;
}

/** Writes the entities with these entries, in the order of their matches. */
export function writeEntities(
  document: Document,
  dest: string,
  terms: EntityTerms,
  entries: readonly number[],
  { usePayloads, entityField, updateMode }: EntityOutput,
): void {
  if (entries.length === 0) return;
  document.update(
    dest,
    updateMode,
    entries.map((entry) => (usePayloads ? terms.payload(entry) : terms.term(entry))),
  );
  if (!usePayloads || entityField === undefined) return;
  document.update(
    entityField,
    updateMode,
    entries.map((entry) => terms.term(entry)),
  );
}
