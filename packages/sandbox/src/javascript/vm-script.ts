import { type Context, constants, createContext, Script } from 'node:vm';
import { type MakeError, problemOf, type ScriptFailure } from '../problems/script-problem.ts';
import type { ScriptHost } from './script-host.ts';
import { type openRealm, REALM_SOURCE, type Realm } from './script-realm.ts';
import { watchRejections } from './script-rejections.ts';
import { wrapScript } from './wrap-script.ts';

/** Matches every script that uses promises. */
const PROMISES = /async|Promise|import|eval|Function/i;
/** A script without effect. Evaluating anything in a context makes V8 run its promise jobs. */
const SETTLE = new Script('0', { filename: 'headrace' });

/**
 * Returns the error of a text that is not a valid script, with its line, or undefined if it is valid.
 * @param name the name of the script, for the message
 */
export function syntaxMistake(source: string, name: string): string | undefined {
  try {
    // Checked without the wrapper, to reject texts that are valid only inside the wrapper (`return`, `}{`).
    new Script(source, { filename: name });
    compile(source, name);
    return undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const line = error.stack?.split('\n', 1)[0]?.match(/:(\d+)$/)?.[1];
    return line === undefined ? `${name}: ${error.message}` : `${name}, line ${line}: ${error.message}`;
  }
}

/**
 * A trusted script, which runs in the thread of its caller. It sees the document and ECMAScript, but not Node. This is
 * no sandbox: nothing limits its time and memory.
 */
export class VmScript<Document> {
  readonly #name: string;
  readonly #host: ScriptHost<Document>;
  readonly #makeError: MakeError;
  readonly #realm: Realm;
  readonly #script: Parameters<Realm['load']>[0];
  #running = false;
  /** The context whose promises must settle before the next document. Undefined if the script uses no promises. */
  readonly #settled: Context | undefined;

  /** Throws an error of `makeError` if the text is not a valid script. */
  constructor(source: string, name: string, host: ScriptHost<Document>, makeError: MakeError) {
    this.#name = name;
    this.#host = host;
    this.#makeError = makeError;
    const mistake = syntaxMistake(source, name);
    if (mistake !== undefined) throw makeError({ when: 'start', message: mistake });
    // An ordinary global object is used, because a global object that Node intercepts is slow at every access. Promise
    // jobs run only on request, because they must not run between documents.
    const context = createContext(constants.DONT_CONTEXTIFY, { microtaskMode: 'afterEvaluate' });
    if (PROMISES.test(source)) {
      this.#settled = context;
      watchRejections(context, (failure) => host.log('error', problemOf(failure, name).message));
    }
    const open = new Script(REALM_SOURCE, { filename: 'headrace' }).runInContext(context) as typeof openRealm;
    this.#realm = open(this.#host);
    this.#script = compile(source, name).runInContext(context) as Parameters<Realm['load']>[0];
    this.#realm.load(this.#script);
  }

  run(document: Document): void {
    // At its time limit, V8 ended the script in the middle of a document. It cannot continue from there.
    if (this.#running) this.#realm.load(this.#script);
    this.#running = true;
    this.#host.document = document;
    const failure = this.#realm.run() ?? this.#settle();
    this.#host.document = undefined;
    this.#running = false;
    if (failure !== undefined) throw this.#makeError(problemOf(failure, this.#name));
  }

  #settle(): ScriptFailure | undefined {
    if (this.#settled === undefined) return undefined;
    SETTLE.runInContext(this.#settled);
    return this.#realm.finish();
  }
}

function compile(source: string, name: string): Script {
  const { text, columnOffset } = wrapScript(source);
  return new Script(text, { filename: name, columnOffset: -columnOffset });
}
