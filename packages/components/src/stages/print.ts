import { closeSync, constants, writeFileSync } from 'node:fs';
import { dirname, parse } from 'node:path';
import {
  Document,
  HeadraceError,
  messageOf,
  type ParameterProblem,
  type ReportProblem,
  Shape,
  Stage,
  type StageContext,
  type Static,
  type TouchedFile,
  Type,
  type Value,
  WRITES,
} from '@headrace/engine';
import { accessSync, openSync, stat, statSync, truncateSync } from '../local-files/local-files.ts';
import { requireWritableFolder } from '../local-files/writable-folder.ts';

const parameters = Type.Object({
  /** Whether the documents go to the log, at level info. */
  shouldLog: Type.Boolean({ default: true }),
  /** The path of the file to write. Defaults to no file. */
  outputFile: Type.Optional(Type.String(WRITES)),
  /** Whether an existing file is emptied first. Otherwise the documents are appended. */
  overwriteFile: Type.Boolean({ default: true }),
  /**
   * Whether the name of the file includes the name of the pipeline thread, so that each thread has a file: out.txt
   * becomes outLucille-<run id>-Worker-1.txt. Otherwise all threads append to the same file.
   */
  appendThreadName: Type.Boolean({ default: true }),
  /** The only fields to print. An empty list means all. */
  whitelist: Type.Array(Type.String(), { default: [] }),
  /** Fields to omit; id is always printed. */
  blacklist: Type.Array(Type.String(), { default: [] }),
});

/** Lines are written in blocks of about this many characters, and at least once a second. */
const BUFFER_SIZE = 64 * 1024;
const FLUSH_AFTER_MS = 1000;

/**
 * Writes each document as a line of JSON to the log, to a file, or to both. The documents do not change.
 *
 * A line is compact JSON with the fields in their order, bytes in base64. A path that cannot be written fails the start
 * of the pipeline, not its documents. The file is created or emptied for the first document. Lines are written in
 * blocks; all of them are in the file when the pipeline has stopped. A preview writes no file.
 */
export class Print extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Log the documents without a long field',
      params: { blacklist: ['body'] },
      documents: [{ id: '1', title: 'A title', body: 'A long text' }],
      output: [{ id: '1', title: 'A title', body: 'A long text' }],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    if (params.outputFile === '') yield { parameter: 'outputFile', message: 'outputFile must not be empty' };
    if (params.shouldLog === false && params.outputFile === undefined) {
      yield {
        parameter: 'outputFile',
        message: 'The stage prints nothing: shouldLog is false, and there is no outputFile',
        severity: 'warning',
      };
    }
  }

  /** Reports the file only if its name is exactly outputFile, without the name of a thread. */
  static override *touches({ outputFile, appendThreadName }: Static<typeof parameters>): Generator<TouchedFile> {
    if (outputFile === undefined || appendThreadName !== false) return;
    yield { parameter: 'outputFile', access: 'write', path: outputFile, verb: 'write' };
  }

  readonly #whitelist: ReadonlySet<string>;
  readonly #blacklist: ReadonlySet<string>;
  readonly #path: string | undefined;
  readonly #overwrite: boolean;
  /** True if only this thread writes the file. */
  readonly #ownFile: boolean;
  #file: number | undefined = undefined;
  #buffer = '';
  #flushed = 0;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#whitelist = new Set(params.whitelist);
    this.#blacklist = new Set(params.blacklist);
    this.#overwrite = params.overwriteFile !== false;
    this.#ownFile = params.appendThreadName !== false;
    const { outputFile } = params;
    const path =
      outputFile !== undefined && this.#ownFile ? withThreadName(outputFile, context.threadName) : outputFile;
    this.#path = context.preview === true ? undefined : path;
  }

  override async checkAccess(report: ReportProblem): Promise<void> {
    const { outputFile } = this.params;
    if (outputFile === undefined) return;
    const folder = dirname(outputFile);
    try {
      await stat(folder);
      await requireWritableFolder(folder);
    } catch (error) {
      const hint = 'The folder must exist, and the process must be allowed to write there.';
      report({ parameter: 'outputFile', message: `Cannot write to ${outputFile}: ${messageOf(error)}`, hint });
    }
  }

  override start(): void {
    const { outputFile } = this.params;
    if (this.context.preview === true && outputFile !== undefined) {
      this.context.log.info(`${outputFile} is not written in a preview`);
    }
    if (this.#path === undefined) return;
    try {
      const present = statSync(this.#path, 'write');
      if (present?.isDirectory()) throw new Error('it is a directory');
      accessSync(present === undefined ? dirname(this.#path) : this.#path, constants.W_OK);
      // The first thread empties a shared file. It does so before there are documents.
      const empty = this.#overwrite && !this.#ownFile && this.context.threadNumber === 1;
      if (empty && present?.isFile()) truncateSync(this.#path);
    } catch (error) {
      throw new HeadraceError('HR_STAGE_START', `The file ${this.#path} cannot be written: ${messageOf(error)}`, {
        hint: 'Check outputFile: the directory must exist, and the process must be allowed to write there.',
        cause: error,
      });
    }
  }

  override process(document: Document): void {
    const line = this.#line(document);
    if (this.params.shouldLog !== false) this.context.log.info(line);
    if (this.#path === undefined) return;
    this.#file ??= this.#open(this.#path);
    this.#buffer += `${line}\n`;
    if (this.#buffer.length >= BUFFER_SIZE || Date.now() - this.#flushed >= FLUSH_AFTER_MS) this.#flush();
  }

  override stop(): void {
    if (this.#file === undefined) return;
    try {
      this.#flush();
    } finally {
      closeSync(this.#file);
      this.#file = undefined;
    }
  }

  /** Opens the file for the first document. Without documents, no file is created and an existing file stays. */
  #open(path: string): number {
    // Several threads may write the same file, so every write appends to its current end.
    const { O_WRONLY, O_CREAT, O_APPEND, O_TRUNC } = constants;
    return openSync(path, O_WRONLY | O_CREAT | O_APPEND | (this.#overwrite && this.#ownFile ? O_TRUNC : 0));
  }

  #line(document: Document): string {
    const whitelist = this.#whitelist;
    const blacklist = this.#blacklist;
    if (whitelist.size === 0 && blacklist.size === 0) return document.toJson();
    const names: string[] = [];
    const values: Value[] = [];
    for (const name of document.fieldNames) {
      if (name !== 'id' && ((whitelist.size > 0 && !whitelist.has(name)) || blacklist.has(name))) continue;
      names.push(name);
      values.push(document.get(name) as Value);
    }
    return new Document(Shape.common(names), values).toJson();
  }

  #flush(): void {
    if (this.#buffer === '') return;
    const text = this.#buffer;
    this.#buffer = '';
    this.#flushed = Date.now();
    writeFileSync(this.#file as number, text);
  }
}

function withThreadName(path: string, threadName: string): string {
  const { ext } = parse(path);
  return `${path.slice(0, path.length - ext.length)}${threadName}${ext}`;
}
