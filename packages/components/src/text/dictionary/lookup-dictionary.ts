import { counted, HeadraceError, type StageContext } from '@headrace/engine';
import {
  PayloadTable,
  PayloadTableBuilder,
  type PayloadTableData,
  RecentValues,
} from '@headrace/text-analysis/dictionary';
import type { StorageSettings } from '../../storage/storage-parameters.ts';
import { Storages } from '../../storage/storages.ts';
import { readDictionary } from './dictionary-file.ts';
import { sharedTables } from './shared-tables.ts';

/** The dictionary to read, and the options for reading it. */
export interface LookupSource {
  readonly path: string;
  readonly storage: StorageSettings;
  /** Whether keys are stored in lower case. */
  readonly ignoreCase: boolean;
  /** Whether rows must have only a key. */
  readonly isSet: boolean;
}

/** A dictionary of whole values. It is loaded once for all pipeline threads of the run. */
export class LookupDictionary {
  readonly #table: PayloadTable;
  readonly #recent: RecentValues<readonly string[]>;

  private constructor(data: PayloadTableData) {
    const table = new PayloadTable(data);
    this.#table = table;
    this.#recent = new RecentValues((entry) => table.payloads(entry));
  }

  static async open(source: LookupSource, context: StageContext): Promise<LookupDictionary> {
    return new LookupDictionary(await sharedTables(['lookup', source], context, () => load(source, context)));
  }

  /** Returns the entry of a key, or -1 if the key is missing. The key must be in lower case if the dictionary is. */
  find(key: string): number {
    return this.#table.find(key);
  }

  payloads(entry: number): readonly string[] {
    return this.#recent.get(entry);
  }
}

async function load(
  { path, storage, ignoreCase, isSet }: LookupSource,
  context: StageContext,
): Promise<PayloadTableData> {
  const builder = new PayloadTableBuilder();
  const storages = new Storages(storage);
  try {
    await readDictionary(path, storages, context, (cells) => {
      const key = cells[0] as string;
      if (isSet && cells.length > 1) {
        throw new HeadraceError(
          'HR_STAGE_START',
          `The dictionary ${path} has payloads: "${key}" has ${counted(cells.length, 'cell')}`,
          {
            hint: 'With setOnly, each row may have only a key. Remove the other cells, or setOnly.',
          },
        );
      }
      builder.set(ignoreCase ? key.toLowerCase() : key, isSet ? [] : cells.length === 1 ? cells : cells.slice(1));
    });
  } finally {
    await storages.close();
  }
  return builder.finish();
}
