import {
  BATCH_SETTINGS,
  type EncodedBatch,
  Indexer,
  type IndexerSettings,
  type IndexFailure,
  ignoredSettings,
  type ModuleReference,
  OneOf,
  type ParameterProblem,
  type RunOutcome,
  SEARCH_ENGINE_SETTINGS,
  type Static,
  Type,
  WRITES,
} from '@headrace/engine';
import { isCsvRow } from '@headrace/formats/records/csv';
import { CsvEncoder, csvHeader } from '../file-formats/csv/csv-encoder.ts';
import { checkOutputFileAccess, checkOutputPath, type Output, openOutputFile } from '../local-files/output-file.ts';

const parameters = Type.Object({
  /** The file. Missing folders are created. */
  path: Type.String(WRITES),
  /** Names of the fields to write, in order. A dot is part of a name. */
  columns: Type.Array(Type.String()),
  /** Whether the first line contains the names of the columns. */
  includeHeader: Type.Boolean({ default: true }),
  /**
   * Whether rows are added to an existing file, without a second header. Otherwise the file is overwritten. Set it for
   * connectors that continue where the last run ended (FileConnector with state, KafkaConnector), because they do not
   * read the earlier documents again.
   */
  append: Type.Boolean({ default: false }),
  /**
   * What is done with a cell that a spreadsheet would compute as a formula when it opens the file: "keep" writes it
   * unchanged, as Lucille does. "escape" writes an apostrophe before it, so that it is shown as text. A cell is such a
   * formula if it begins with =, +, -, @ or their full-width forms, also after white space, or with a tab, a line break
   * or a NUL. Numbers such as -2 stay numbers. Use "escape" if people open the file in a spreadsheet and the data is
   * not yours. Programs that read the file then get the apostrophe, too.
   */
  formulas: OneOf(['keep', 'escape'], { default: 'keep' }),
});

/**
 * Writes a row for each document to a CSV file: UTF-8, lines that end in LF, commas, every value in double quotes, with
 * quotes in it doubled. A field that is missing or null is written as nothing, a list as [a, b], an object as the empty
 * text. All connectors of a run write to the same file. A run fails if another run is writing the file.
 */
export class CSVIndexer extends Indexer<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly block = 'csv';
  static readonly type = 'CSV';
  override readonly streaming = true;
  #output: Output | undefined;

  static override *check(
    { path, columns }: Static<typeof parameters>,
    settings: IndexerSettings,
  ): Generator<ParameterProblem> {
    if (path === '') yield { parameter: 'path', message: 'path must not be empty' };
    yield* checkOutputPath(path);
    if (columns?.length === 0) yield { parameter: 'columns', message: 'columns must not be empty' };
    if (settings.indexOverrideField !== undefined) {
      yield {
        block: 'indexer',
        parameter: 'indexOverrideField',
        message:
          "Cannot create CSVIndexer. Config setting 'indexer.indexOverrideField' is not supported by CSVIndexer.",
        hint: 'Remove it: all rows go to one file.',
      };
    }
    const ignored = [...SEARCH_ENGINE_SETTINGS, 'whitelist', 'blacklist'] as const;
    yield* ignoredSettings(settings, ignored, 'CSVIndexer', 'every document is a row of the columns');
    yield* ignoredSettings(settings, BATCH_SETTINGS, 'CSVIndexer', 'documents are written immediately');
  }

  static override overwrites({ append }: Static<typeof parameters>): boolean {
    return !append;
  }

  override encoder(): ModuleReference {
    const { columns, formulas } = this.params;
    return CsvEncoder.reference({ columns, formulas });
  }

  override async checkAccess(): Promise<void> {
    await checkOutputFileAccess(this.params.path);
  }

  override async connect(): Promise<void> {
    const { path, columns, formulas, includeHeader, append } = this.params;
    const { retry = false, continues = false, log } = this.context;
    const rows = { quoted: true, isComplete: (row: string) => isCsvRow(row, columns.length) };
    const header = includeHeader ? csvHeader({ columns, formulas }) : '';
    this.#output = await openOutputFile(path, append || retry || continues, { rows, header, continues, log });
  }

  override async send({ pieces }: EncodedBatch): Promise<readonly IndexFailure[]> {
    // The engine calls `connect` first.
    await (this.#output as Output).write(pieces);
    return [];
  }

  override async close({ failed }: RunOutcome): Promise<void> {
    const output = this.#output;
    this.#output = undefined;
    await output?.close(failed);
  }
}
