import {
  BATCH_SETTINGS,
  type EncodedBatch,
  Indexer,
  type IndexerSettings,
  type IndexFailure,
  ignoredSettings,
  jsonErrorOf,
  type ModuleReference,
  type ParameterProblem,
  type RunOutcome,
  SEARCH_ENGINE_SETTINGS,
  type Static,
  Type,
  WRITES,
} from '@headrace/engine';
import { JsonEncoder } from '../file-formats/json/json-encoder.ts';
import {
  checkOutputFileAccess,
  checkOutputPath,
  type Output,
  openOutputFile,
  StandardOutput,
} from '../local-files/output-file.ts';

const parameters = Type.Object({
  /** The file, or a dash for the standard output. Missing folders are created. */
  path: Type.String(WRITES),
  /**
   * Whether lines are added to an existing file. Otherwise the file is overwritten. Set it for connectors that continue
   * where the last run ended (FileConnector with state, KafkaConnector), because they do not read the earlier documents
   * again.
   */
  append: Type.Boolean({ default: false }),
});

/**
 * Writes each document as a line of JSON to a file or to the standard output, to check the result of a pipeline or to
 * process it further. indexer.whitelist and indexer.blacklist select the fields. All connectors of a run write to the
 * same file. A run fails if another run is writing the file.
 */
export class JsonLinesIndexer extends Indexer<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly block = 'jsonl';
  static readonly type = 'JSONLines';
  static readonly javaClass = null;
  override readonly streaming = true;
  #output: Output | undefined;

  static override *check({ path }: Static<typeof parameters>, settings: IndexerSettings): Generator<ParameterProblem> {
    if (path === '')
      yield { parameter: 'path', message: 'path must not be empty', hint: 'Write - for the standard output.' };
    yield* checkOutputPath(path);
    const ignored = [...SEARCH_ENGINE_SETTINGS, 'indexOverrideField'] as const;
    yield* ignoredSettings(settings, ignored, 'JsonLinesIndexer', 'every document is a line');
    yield* ignoredSettings(settings, BATCH_SETTINGS, 'JsonLinesIndexer', 'documents are written immediately');
  }

  static override writesToStandardOutput({ path }: Static<typeof parameters>): boolean {
    return path === '-';
  }

  static override overwrites({ path, append }: Static<typeof parameters>): boolean {
    return path !== '-' && !append;
  }

  override encoder(): ModuleReference {
    const { whitelist, blacklist } = this.context.settings;
    return JsonEncoder.reference({ whitelist, blacklist });
  }

  override async checkAccess(): Promise<void> {
    if (this.params.path !== '-') await checkOutputFileAccess(this.params.path);
  }

  override async connect(): Promise<void> {
    const { path, append } = this.params;
    const { retry = false, continues = false, log } = this.context;
    const rows = { quoted: false, isComplete: (row: string) => jsonErrorOf(row) === undefined };
    this.#output =
      path === '-'
        ? new StandardOutput()
        : await openOutputFile(path, append || retry || continues, { rows, continues, log });
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
