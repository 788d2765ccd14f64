import {
  ChildProgram,
  type Document,
  holdMemory,
  type JsonObject,
  type ParameterProblem,
  RESERVED_FIELDS,
  readJson,
  requiredBoundary,
  Stage,
  type StageContext,
  type Static,
  Type,
  type Value,
  writeValue,
} from '@headrace/engine';
import { ScriptProcess } from '@headrace/sandbox/process';
import { pyodideCommand } from '@headrace/sandbox/python';
import { DocumentHost } from '../scripts/document-host.ts';
import { pyodideFolder } from '../scripts/pyodide-folder.ts';
import { scriptError } from '../scripts/script-error.ts';
import { checkScriptSettings, readScript, scriptParameters } from '../scripts/script-source.ts';
import { withBytes } from '../scripts/with-bytes.ts';

const parameters = Type.Object(scriptParameters);

/** Loading Python into WebAssembly takes seconds, longer on a busy machine. */
const MILLIS_TO_START = 10 * 60_000;

/** The time limit for one document, for a script of an untrusted config. */
const MILLIS = 5000;
/** A process that cannot be interrupted is killed this much later, in clock time. */
const MILLIS_AT_MOST = 2 * 60_000;
const UNTRUSTED_BYTES = 256 * 1024 * 1024;
const TRUSTED_BYTES = 4 * 1024 * 1024 * 1024;

/**
 * Runs a script in Python on each document. Python is included as Pyodide (CPython 3.14 in WebAssembly): the machine
 * needs no Python, only the npm package pyodide. The script changes the document through doc. It has the standard
 * library and no other package, and no access to files, network, processes or environment of the machine. Use
 * ExternalPython for these, or for large data.
 *
 * doc is a dict that also has attributes. doc.title and doc['title'] read a field; a missing one raises
 * AttributeError or KeyError. getattr(doc, 'title', None), hasattr, doc.get('title') and 'title' in doc check first.
 * doc.title = … writes a field, del doc.title removes it. Null is None, bytes are a text in base64. Lists and objects
 * are real lists and dicts, which may be changed in place; objects also have attributes. If a field has the name of a
 * method of dict, doc.name is the field, except for keys and items: write doc['keys'] and doc['items']. Assigned values
 * are copied: tuples and sets become lists, dates become the text of isoformat(), NaN becomes a text, keys become
 * texts. Writing a field of the engine (such as id) fails the document.
 *
 * rawDoc has the methods of Lucille's documents, which ApplyJavascript lists. A mode is UpdateMode.OVERWRITE, APPEND or
 * SKIP. Each call costs a round trip between processes: doc is faster.
 *
 * Global variables keep their values from one document to the next, separately in each pipeline thread. What the script
 * prints goes to the log. A script with a syntax error fails the start. An error fails the document, with the line of
 * the script. Each pipeline thread has a separate process with Python, which takes some seconds to start and about 200
 * MB.
 *
 * A document on which the script computes longer than worker.maxProcessingSecs (60 seconds) fails, and the next
 * documents continue. Scripts of configs that were uploaded to a service have 5 seconds for each document and 256 MiB
 * of memory. A script that exceeds the memory starts again. If the policy of the service has scripts: sandbox (as
 * strict does), scripts run inside a boundary of the operating system, which also limits the process to 512 MiB. A
 * machine without such a boundary refuses the stage.
 */
export class EmbeddedPython extends Stage<typeof parameters> {
  static override readonly parameters = parameters;
  static readonly scripts = 'boundary';

  static readonly examples = [
    {
      description: 'A field computed from others, a list changed in place, and a count over the documents',
      params: {
        script: `from collections import Counter

words = doc.title.lower().split()
doc.words = {word: n for word, n in Counter(words).items() if n > 1}
doc.tags.append('counted')
count = globals().get('count', 0) + 1
doc['count'] = count`,
      },
      documents: [
        { id: '1', title: 'The cat and the hat', tags: ['books'] },
        { id: '2', title: 'Horton', tags: [] },
      ],
      output: [
        { id: '1', title: 'The cat and the hat', tags: ['books', 'counted'], words: { the: 2 }, count: 1 },
        { id: '2', title: 'Horton', tags: ['counted'], words: {}, count: 2 },
      ],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    yield* checkScriptSettings(params);
  }

  /** Several documents are sent ahead, so Python never waits for the next one. */
  override readonly maxInFlight = 32;
  readonly #host = new DocumentHost(this.context.log);
  #script: ScriptProcess | undefined;

  override async start(): Promise<void> {
    const { trusted, log } = this.context;
    const pyodide = pyodideFolder();
    const { source, name } = await readScript(this.params);
    const limit = timeLimit(this.context);
    const inBoundary = requiredBoundary() !== undefined;
    const maxBytes = trusted ? TRUSTED_BYTES : UNTRUSTED_BYTES;
    const { command, args, confined } = pyodideCommand(pyodide, maxBytes, inBoundary);
    this.#script = new ScriptProcess({
      name,
      command,
      args,
      env: {},
      greeting: JSON.stringify({ source, name, ...limit, reserved: [...RESERVED_FIELDS], methods: this.#host.methods }),
      startProgram: (program, itsArgs, options) => ChildProgram.start(program, itsArgs, { ...options, confined }),
      startMillis: MILLIS_TO_START,
      callMillis: limit === undefined ? undefined : limit.millis + MILLIS_AT_MOST,
      ...(inBoundary ? { processorMillis: 2 * MILLIS } : {}),
      overdueCode: 'HR_STAGE_OVERDUE',
      readJson,
      memory: holdMemory('the answer of the script', this),
      makeError: scriptError,
      logger: log,
    });
    await this.#script.start();
  }

  override async process(document: Document): Promise<void> {
    const changes = await this.#script?.call(document.toJson(), (question) =>
      this.#answer(document, question as Value),
    );
    applyChanges(document, changes as Value | undefined);
  }

  override async stop(): Promise<void> {
    await this.#script?.stop();
    this.#script = undefined;
  }

  /** Runs a call on `rawDoc`. Returns its result and the changed document as JSON. */
  #answer(document: Document, question: Value): string {
    const { changes, method, args } = Object.fromEntries(question instanceof Map ? question : []);
    applyChanges(document, changes);
    this.#host.document = document;
    const { value, refusal } = this.#host.call(String(method), Array.isArray(args) ? args : []);
    const result =
      refusal === undefined ? `"value":${writeValue(value ?? null)}` : `"refusal":${JSON.stringify(refusal)}`;
    return `{${result},"document":${document.toJson()}}`;
  }
}

/** Returns the processor time that one document may use, and the error for a document that uses more. */
function timeLimit({ trusted, computeMillis }: StageContext): { millis: number; overdue: object } | undefined {
  if (!trusted && (computeMillis === undefined || computeMillis > MILLIS)) {
    return { millis: MILLIS, overdue: { message: `took more than ${MILLIS} ms of processor time for one document` } };
  }
  if (computeMillis === undefined) return undefined;
  const message = `took more than ${computeMillis} ms of processor time for one document (worker.maxProcessingSecs)`;
  return { millis: computeMillis, overdue: { message, code: 'HR_STAGE_OVERDUE' } };
}

function applyChanges(document: Document, changes: Value | undefined): void {
  if (!(changes instanceof Map)) return;
  const removed = changes.get('removed');
  for (const name of Array.isArray(removed) ? removed : []) document.remove(String(name));
  for (const [name, value] of (changes.get('set') as JsonObject | undefined) ?? []) {
    document.set(name, withBytes(value, document.get(name)));
  }
}
