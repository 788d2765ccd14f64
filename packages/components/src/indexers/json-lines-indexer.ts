import {
  type EncodedBatch,
  Indexer,
  type IndexerSettings,
  type IndexFailure,
  type ModuleReference,
  type ParameterProblem,
  type RunOutcome,
  type Static,
  Type,
  WRITES,
} from '@headrace/engine';
import { JsonEncoder } from '../formats/json/json-encoder.ts';
import { BATCH_SETTINGS, ignoredSettings, SEARCH_ENGINE_SETTINGS } from './ignored-settings.ts';
import { type Output, openOutputFile, reachOutputFile, StandardOutput } from './output-file.ts';

const parameters = Type.Object({
  path: Type.String(WRITES),
  append: Type.Optional(Type.Boolean({ default: false })),
});

/**
 * Writes each document as a line of JSON to a file, or to the standard output: to look at what a pipeline makes, or to
 * hand it on. <code>indexer.whitelist</code> and <code>indexer.blacklist</code> choose the fields. All connectors of a
 * run write to the same file; a run whose file another run is writing fails.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>path (String, Required) : The file, or a dash for the standard output. Its folders are created when they are missing.</li>
 *   <li>append (Boolean, Optional) : Whether lines are added to a file that exists; otherwise it is overwritten. Set it for connectors that go on where the last run ended (FileConnector with state, KafkaConnector): what that run wrote does not come again. Defaults to false.</li>
 * </ul>
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
    const ignored = [...SEARCH_ENGINE_SETTINGS, 'indexOverrideField'] as const;
    yield* ignoredSettings(settings, ignored, 'JsonLinesIndexer', 'every document is a line');
    yield* ignoredSettings(settings, BATCH_SETTINGS, 'JsonLinesIndexer', 'documents are written as they come');
  }

  static override writesToStandardOutput({ path }: Static<typeof parameters>): boolean {
    return path === '-';
  }

  static override overwrites({ path, append = false }: Static<typeof parameters>): boolean {
    return path !== '-' && !append;
  }

  override encoder(): ModuleReference {
    const { whitelist = [], blacklist = [] } = this.context.settings;
    return JsonEncoder.reference({ whitelist, blacklist });
  }

  override async reach(): Promise<void> {
    if (this.params.path !== '-') await reachOutputFile(this.params.path);
  }

  override async connect(): Promise<void> {
    const { path, append = false } = this.params;
    this.#output =
      path === '-' ? new StandardOutput() : await openOutputFile(path, append || this.context.retry === true);
  }

  override async send({ pieces }: EncodedBatch): Promise<readonly IndexFailure[]> {
    // The engine has called `connect`.
    await (this.#output as Output).write(pieces);
    return [];
  }

  override async close({ failed }: RunOutcome): Promise<void> {
    const output = this.#output;
    this.#output = undefined;
    await output?.close(failed);
  }
}
