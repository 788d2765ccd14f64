import {
  type Document,
  HeadraceError,
  holdMemory,
  type ParameterProblem,
  Stage,
  type Static,
  Type,
} from '@headrace/engine';
import {
  SANDBOX_LIMITS,
  SandboxedScript,
  type SandboxLimits,
  syntaxMistake,
  VmScript,
} from '@headrace/sandbox/javascript';
import type { ScriptProblem } from '@headrace/sandbox/problems';
import { DocumentHost } from '../scripts/document-host.ts';
import { INLINE_SCRIPT, scriptError } from '../scripts/script-error.ts';
import { checkScriptSettings, readScript, scriptParameters } from '../scripts/script-source.ts';

const parameters = Type.Object(scriptParameters);

/**
 * Runs a script in JavaScript on each document. The script changes the document through doc. The value of its last
 * expression is ignored.
 *
 * doc.title reads a field. The result is undefined if the field is missing, null, a text, a number, a boolean, or a
 * real list or object, which may be changed in place (doc.tags.push('new')). Bytes are a text in base64, and integers
 * beyond 2^53 are BigInts. doc.title = … writes a field: lists and objects are copied, undefined becomes null, a number
 * without a fraction becomes an integer, a Date becomes the text of its instant. delete doc.title removes a field;
 * 'title' in doc and Object.keys(doc) list them. A name is always the complete name of a field, including dots:
 * doc['a.b']. Writing a field of the engine (such as id) fails the document.
 *
 * rawDoc has the methods of Lucille's documents: has, hasNonNull, isMultiValued, length, getFieldNames, getString,
 * getInt, getLong, getDouble, getFloat, getBoolean (each also with the suffix List, for all values), getJson,
 * getNestedJson(path), setField, addToField, setOrAdd, update(field, mode, values…), removeField, renameField(from, to,
 * mode), removeFromArray(field, index), removeDuplicateValues(field, target), setNestedJson(path, value),
 * removeNestedJson(path), setDropped, setSkipped, isDropped, isSkipped, addChild(object), getChildren, hasChildren,
 * removeChildren, getId, getRunId, asMap, toString. A mode is UpdateMode.OVERWRITE, APPEND or SKIP.
 *
 * Variables declared with var, functions, and undeclared variables keep their values from one document to the next,
 * separately in each pipeline thread. let and const are new for each document. The script has ECMAScript and console,
 * which writes to the log. It has no require, no timers, no network and no Java. Promises are settled before the
 * document continues; an error in a promise without a handler is only logged. Any other error fails the document, with
 * the line of the script.
 *
 * Scripts of configs that were uploaded to a service run in a sandbox (QuickJS). They have 5 seconds for each document,
 * 64 MiB of memory, and no Intl. Other scripts run at full speed, with the time limit of all stages
 * (worker.maxProcessingSecs). A script that exceeds its time starts again with the next document and loses its
 * variables.
 */
export class ApplyJavascript extends Stage<typeof parameters> {
  static override readonly parameters = parameters;
  static readonly scripts = 'sandbox';

  static readonly examples = [
    {
      description: 'A field computed from others, and a list changed in place',
      params: {
        script: `const words = doc.title.split(' ');
doc.words = words.length;
if (doc.price * doc.count > 100) doc.tags.push('big order');`,
      },
      documents: [{ id: '1', title: 'Blue paper boat', price: 25.5, count: 4, tags: ['boats'] }],
      output: [{ id: '1', title: 'Blue paper boat', price: 25.5, count: 4, tags: ['boats', 'big order'], words: 3 }],
    },
    {
      description:
        'A number for each document. A variable declared with var keeps its value for the next document; rawDoc appends to a field',
      params: {
        script: `var n = (n || 0) + 1;
rawDoc.update('log', UpdateMode.APPEND, 'document ' + n);`,
      },
      documents: [{ id: '1', log: 'made' }, { id: '2' }],
      output: [
        { id: '1', log: ['made', 'document 1'] },
        { id: '2', log: 'document 2' },
      ],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    yield* checkScriptSettings(params);
    if (params.script === undefined) return;
    const mistake = syntaxMistake(params.script, INLINE_SCRIPT);
    if (mistake !== undefined) yield { parameter: 'script', message: mistake };
  }

  readonly #memory = holdMemory('a script');
  #script: VmScript<Document> | SandboxedScript<Document> | undefined;

  override async start(): Promise<void> {
    const { trusted, log, computeMillis } = this.context;
    const { source, name } = await readScript(this.params);
    const host = new DocumentHost(log);
    this.#script = trusted
      ? new VmScript(source, name, host, scriptError)
      : await SandboxedScript.open(source, name, host, sandboxError, sandboxLimits(computeMillis));
  }

  override process(document: Document): void | Promise<void> {
    const script = this.#script;
    const done = script?.run(document);
    if (!(script instanceof SandboxedScript)) return done;
    return done === undefined ? this.#count(script) : done.then(() => this.#count(script));
  }

  override stop(): void {
    if (this.#script instanceof SandboxedScript) this.#script.close();
    this.#script = undefined;
    this.#memory.release();
  }

  /** Counts the memory of the sandbox. If there is not enough, the script loses it, and its document fails. */
  #count(script: SandboxedScript<Document>): void {
    const { grownBytes } = script;
    this.#memory.keep(grownBytes);
    if (this.#memory.takeIfFree(grownBytes - this.#memory.bytes)) return;
    script.close();
    this.#memory.release();
    const mebibytes = Math.ceil(grownBytes / 2 ** 20);
    throw new HeadraceError('HR_MEMORY_LIMIT', `The script keeps ${mebibytes} MiB, and the run has less memory`, {
      hint: 'Keep less in variables, use fewer scripts or fewer threads (worker.threads).',
    });
  }
}

/**
 * Returns the limits of the sandbox, which include the time limit of one document.
 * The engine's clock does not cover the time to open a new sandbox, so the sandbox measures the limit itself.
 */
function sandboxLimits(computeMillis: number | undefined): SandboxLimits {
  if (computeMillis === undefined || computeMillis > SANDBOX_LIMITS.millis) return SANDBOX_LIMITS;
  const message = `took more than ${computeMillis} ms of processor time for one document (worker.maxProcessingSecs)`;
  return { ...SANDBOX_LIMITS, millis: computeMillis, overdue: { message, code: 'HR_STAGE_OVERDUE' } };
}

/** Returns the error for a problem of a script in the sandbox. */
function sandboxError(problem: ScriptProblem): HeadraceError {
  if (problem.when === 'run') return scriptError(problem);
  const hint = 'Scripts of uploaded configs run in QuickJS, which may lack the newest features of JavaScript.';
  return scriptError({ ...problem, hint });
}
