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
  shouldLog: Type.Optional(Type.Boolean({ default: true })),
  outputFile: Type.Optional(Type.String(WRITES)),
  overwriteFile: Type.Optional(Type.Boolean({ default: true })),
  appendThreadName: Type.Optional(Type.Boolean({ default: true })),
  whitelist: Type.Optional(Type.Array(Type.String(), { default: [] })),
  blacklist: Type.Optional(Type.Array(Type.String(), { default: [] })),
});

/** Lines are written in pieces of about this many characters, and when the last piece is older than a second. */
const BUFFER_SIZE = 64 * 1024;
const FLUSH_AFTER_MS = 1000;

/**
 * Writes each document as a line of JSON to the log, to a file, or to both. The documents do not change.
 * <p>
 * A line is compact JSON with the fields in their order, bytes in base64. A path that cannot be written fails the start of
 * the pipeline and not its documents. The file is made, or emptied, when the first document comes. Lines are written in
 * pieces; all of them are there when the pipeline has stopped. A preview writes no file.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>shouldLog (Boolean, Optional) : Whether the documents go to the log, at level info. Defaults to true.</li>
 *   <li>outputFile (String, Optional) : Path of the file to write. Without it there is no file.</li>
 *   <li>overwriteFile (Boolean, Optional) : Whether a file that exists is emptied first; otherwise the documents are
 *   added to it. Defaults to true.</li>
 *   <li>appendThreadName (Boolean, Optional) : Whether the name of the pipeline thread goes between the name of the file
 *   and its extension, so that each thread has a file: out.txt becomes outLucille-&lt;run id&gt;-Worker-1.txt. Otherwise all
 *   threads add their lines to the same file. Defaults to true.</li>
 *   <li>whitelist (List&lt;String&gt;, Optional) : The only fields to print. Defaults to all.</li>
 *   <li>blacklist (List&lt;String&gt;, Optional) : Fields to leave out; id is always printed. Defaults to none.</li>
 * </ul>
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

  /** With the name of a thread in it, a file has another name. */
  static override *touches({ outputFile, appendThreadName }: Static<typeof parameters>): Generator<TouchedFile> {
    if (outputFile === undefined || appendThreadName !== false) return;
    yield { parameter: 'outputFile', access: 'write', path: outputFile, verb: 'write' };
  }

  readonly #whitelist: ReadonlySet<string>;
  readonly #blacklist: ReadonlySet<string>;
  readonly #path: string | undefined;
  readonly #overwrite: boolean;
  /** Whether no other thread writes this file. */
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

  override async reach(report: ReportProblem): Promise<void> {
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
      // A file that all threads share is emptied by the first, which starts before there are documents.
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

  /** Opens the file for the first document: without documents there is none, or the old one stays. */
  #open(path: string): number {
    // Every write goes to the end of the file as it is then: several threads may write the same one.
    const { O_WRONLY, O_CREAT, O_APPEND, O_TRUNC } = constants;
    return openSync(path, O_WRONLY | O_CREAT | O_APPEND | (this.#overwrite && this.#ownFile ? O_TRUNC : 0));
  }

  #line(document: Document): string {
    const whitelist = this.#whitelist;
    const blacklist = this.#blacklist;
    if (whitelist.size === 0 && blacklist.size === 0) return document.toJson();
    const names: string[] = [];
    const values: Value[] = [];
    for (const [i, name] of document.fieldNames.entries()) {
      if (name !== 'id' && ((whitelist.size > 0 && !whitelist.has(name)) || blacklist.has(name))) continue;
      names.push(name);
      values.push(document.fieldValues[i] as Value);
    }
    return new Document(Shape.of(names), values).toJson();
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
