import {
  type Column,
  DocumentTable,
  type ModuleReference,
  messageOf,
  type RecordDecoder,
  type RecordSink,
  type RejectedRecord,
  textOf,
} from 'headrace/engine';
import { filled } from './filled-array.ts';
import {
  hasBit,
  ReadingPlan,
  type RowBlock,
  type RowGroupOptions,
  type RowGroupPosition,
  RowGroupReader,
} from './row-group-reader.ts';

/** Returns the report of the rows of a row group that cannot be read. With a filter, it is unknown how many pass. */
export function lostRows(
  { path, rowGroup }: Pick<RowGroupPosition, 'path' | 'rowGroup'>,
  rows: number,
  { filter }: RowGroupOptions,
  error: unknown,
): RejectedRecord {
  const message = `${rows} rows cannot be read: ${messageOf(error)}`;
  return { place: `${path} row group ${rowGroup}`, message, ...(filter.length === 0 ? { count: rows } : {}) };
}

/** Returns how many rows of a chunk from one on are not deleted. */
function keptRows({ rows, deleted }: RowGroupPosition, from: number): number {
  let kept = rows - from;
  if (deleted === undefined) return kept;
  for (let row = from; row < rows; row++) if (hasBit(deleted, row)) kept--;
  return kept;
}

/** The decoding of a chunk that has begun. */
interface Begun {
  readonly position: unknown;
  readonly reader: RowGroupReader;
  /** How many records were sent before the last block, and with it. */
  before: number;
  after: number;
}

/** Decodes the column chunks of a row group into documents. */
export class RowGroupDecoder implements RecordDecoder {
  readonly #options: RowGroupOptions;
  readonly #plan: ReadingPlan;
  /** The chunk that was decoded last, while the sink may need more of it. */
  #begun: Begun | undefined;
  /** The numbers of records of the chunks that were decoded completely. */
  readonly #records = new WeakMap<object, number>();

  constructor(options: RowGroupOptions) {
    this.#options = options;
    this.#plan = new ReadingPlan(options);
  }

  static reference(options: RowGroupOptions): ModuleReference {
    return { url: import.meta.url, name: 'RowGroupDecoder', options };
  }

  decode(bytes: Uint8Array, position: unknown, sink: RecordSink): void {
    if (sink.full) return;
    const known = sink.known ?? 0;
    const complete = this.#records.get(position as object);
    if (complete !== undefined && complete <= known) {
      sink.skip?.(complete);
      return;
    }
    const place = position as RowGroupPosition;
    const rejectRest = (reader: RowGroupReader | undefined, error: unknown) =>
      sink.reject(lostRows(place, keptRows(place, reader?.decoded ?? 0), this.#options, error));
    const begun = this.#begun;
    this.#begun = undefined;
    let sent = 0;
    const skip = (records: number) => {
      sent += records;
      sink.skip?.(records);
    };
    let reader: RowGroupReader;
    if (begun !== undefined && begun.position === position && begun.before <= known && known <= begun.after) {
      reader = begun.reader;
      if (known < begun.after) reader.repeat();
      skip(known < begun.after ? begun.before : begun.after);
    } else {
      try {
        reader = new RowGroupReader(this.#plan, bytes, place);
      } catch (error) {
        rejectRest(undefined, error);
        return;
      }
    }
    while (!sink.full) {
      // After an error of the sink, the position of the reader is not that of the sink.
      this.#begun = undefined;
      let block: RowBlock | undefined;
      try {
        block = reader.next(Math.max(0, known - sent), skip);
      } catch (error) {
        rejectRest(reader, error);
        return;
      }
      if (block === undefined) {
        this.#records.set(position as object, sent);
        return;
      }
      const before = sent;
      sent += this.#send(block, `${place.path} row `, sink);
      this.#begun = { position, reader, before, after: sent };
    }
  }

  /** Sends the documents of a block, as a table if the sink accepts one. Returns the number of records. */
  #send({ ids, columns, passes, firstRow }: RowBlock, place: string, sink: RecordSink): number {
    const [allRows, allTexts] = [filled(0, ids.length), filled('', ids.length)];
    let count = 0;
    let rejected = 0;
    for (let row = 0; row < ids.length; row++) {
      if (passes?.(row) === false) continue;
      const id = textOf(ids[row] ?? null);
      if (id === null || id === '') {
        const what = id === null ? 'null' : 'empty';
        rejected++;
        sink.reject({ place: place + (firstRow + row), message: `the id column ${this.#options.idField} is ${what}` });
        continue;
      }
      allRows[count] = row;
      allTexts[count++] = this.#options.docIdPrefix + id;
    }
    if (count === 0) return rejected;
    const all = count === ids.length;
    const rows = all ? allRows : allRows.slice(0, count);
    const names = ['id'];
    const values: Column[] = [all ? allTexts : allTexts.slice(0, count)];
    const sparse = [false];
    for (const { name, values: column } of columns) {
      const chosen = all ? column : rows.map((row) => column[row]);
      const gaps = chosen.includes(undefined);
      if (gaps && chosen.every((value) => value === undefined)) continue;
      names.push(name);
      values.push(chosen);
      sparse.push(gaps);
    }
    const table = new DocumentTable(names, values, rows.length, sparse);
    if (sink.table === undefined) for (let row = 0; row < rows.length; row++) sink.document(table.document(row));
    else sink.table(table);
    return rejected + count;
  }
}
