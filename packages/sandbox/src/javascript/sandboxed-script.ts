import type { QuickJSContext, QuickJSHandle, QuickJSRuntime, QuickJSWASMModule } from 'quickjs-emscripten';
import { messageOf } from '../problems/message-of.ts';
import { type MakeError, problemOf, type ScriptFailure } from '../problems/script-problem.ts';
import type { ScriptHost } from './script-host.ts';
import { REALM_SOURCE } from './script-realm.ts';
import { readWire, SANDBOX_HOST, writeWire } from './value-wire.ts';
import { wrapScript } from './wrap-script.ts';

/** The limits of an untrusted script. */
export interface SandboxLimits {
  /** The maximum processor time for one document. It does not depend on other work of the machine. */
  readonly millis: number;
  /** The maximum memory for everything that the script keeps and creates. */
  readonly bytes: number;
  /** The message and code for a document that exceeds `millis`, if the limit is a setting of the caller. */
  readonly overdue?: { readonly message: string; readonly code: string };
}

export const SANDBOX_LIMITS: SandboxLimits = { millis: 5000, bytes: 64 * 1024 * 1024 };

/** The stack of a script. QuickJS also uses the stack of its thread, which overflows at four times this size. */
const STACK_BYTES = 128 * 1024;
/** The number of promise jobs between two checks of the clock. */
const JOBS_AT_ONCE = 1000;
/** The maximum length of a log line. The rest of the line is cut off. */
const MAX_LOG_CHARACTERS = 8192;

/**
 * An untrusted script: QuickJS in WebAssembly, with separate memory and a separate time limit. The script reaches the
 * document only through functions with texts as arguments and results. A document that exceeds a limit fails, and the
 * script starts again without its state.
 */
export class SandboxedScript<Document> {
  readonly #source: string;
  readonly #name: string;
  readonly #limits: SandboxLimits;
  readonly #host: ScriptHost<Document>;
  readonly #makeError: MakeError;
  readonly #loadModule: () => Promise<QuickJSWASMModule>;
  #box: Box | undefined;

  private constructor(
    source: string,
    name: string,
    host: ScriptHost<Document>,
    makeError: MakeError,
    limits: SandboxLimits,
    loadModule: () => Promise<QuickJSWASMModule>,
  ) {
    this.#source = source;
    this.#name = name;
    this.#limits = limits;
    this.#host = host;
    this.#makeError = makeError;
    this.#loadModule = loadModule;
  }

  /** Opens a script. Rejects with an error of `makeError` if QuickJS cannot parse the text. */
  static async open<Document>(
    source: string,
    name: string,
    host: ScriptHost<Document>,
    makeError: MakeError,
    limits = SANDBOX_LIMITS,
  ): Promise<SandboxedScript<Document>> {
    const { newQuickJSWASMModule } = await import('quickjs-emscripten');
    const script = new SandboxedScript(source, name, host, makeError, limits, () => newQuickJSWASMModule());
    script.#box = await script.#openBox();
    return script;
  }

  /** Runs the script on a document. Returns a promise only after a document that exceeded a limit. */
  run(document: Document): void | Promise<void> {
    if (this.#box === undefined) return this.#restartAndRun(document);
    this.#runIn(this.#box, document);
  }

  /** The memory that the script has taken since its start and does not return, in bytes. */
  get grownBytes(): number {
    return this.#box?.grownBytes ?? 0;
  }

  /** Frees the memory of the script. It starts again with the next document, without its state. */
  close(): void {
    this.#box = undefined;
  }

  async #restartAndRun(document: Document): Promise<void> {
    this.#box = await this.#openBox();
    this.#runIn(this.#box, document);
  }

  #runIn(box: Box, document: Document): void {
    // V8 may end this call at the time limit of the document, without any cleanup. Then this instance is not used
    // again.
    this.#box = undefined;
    this.#host.document = document;
    const failure = box.run(this.#limits.millis);
    this.#host.document = undefined;
    if (failure?.fatal !== true) this.#box = box;
    if (failure !== undefined) throw this.#makeError(problemOf(this.#explained(failure), this.#name));
  }

  /** Describes exceeded limits in words, including two limits of QuickJS itself. */
  #explained(failure: ScriptFailure): ScriptFailure {
    const { millis, bytes } = this.#limits;
    if (/\binterrupted$/.test(failure.message)) {
      const message = `took more than ${millis} ms of processor time for one document`;
      return { ...failure, message, ...this.#limits.overdue, interrupted: true };
    }
    if (/\bout of memory$/.test(failure.message)) {
      return { ...failure, message: `used more than ${bytes / 1024 / 1024} MiB of memory` };
    }
    return failure;
  }

  async #openBox(): Promise<Box> {
    return new Box(await this.#loadModule(), this.#source, this.#name, this.#host, this.#makeError, this.#limits);
  }
}

/**
 * One instance of QuickJS with the script. It is a separate WebAssembly module, so damage to it does not affect other
 * instances, and its memory is freed with it. The instance is not disposed first, because QuickJS aborts on that after
 * it ran out of memory.
 */
class Box {
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  readonly #runScript: QuickJSHandle;
  readonly #finishScript: QuickJSHandle;
  readonly #memory: { readonly buffer: { readonly byteLength: number } };
  readonly #startBytes: number;
  #deadline = Number.POSITIVE_INFINITY;
  #overdue = false;

  constructor(
    module: QuickJSWASMModule,
    source: string,
    name: string,
    host: ScriptHost<unknown>,
    makeError: MakeError,
    limits: SandboxLimits,
  ) {
    this.#memory = module.getWasmMemory();
    this.#startBytes = this.#memory.buffer.byteLength;
    this.#runtime = module.newRuntime();
    this.#runtime.setMemoryLimit(limits.bytes);
    this.#runtime.setMaxStackSize(STACK_BYTES);
    this.#runtime.setInterruptHandler(() => this.#isOverdue());
    const context = this.#runtime.newContext();
    this.#context = context;
    const evaluate = (text: string, file: string): QuickJSHandle => {
      const result = context.evalCode(text, file);
      if (result.error === undefined) return result.value;
      const error = context.dump(result.error) as { message: string; lineNumber?: number };
      result.error.dispose();
      const place = error.lineNumber === undefined ? file : `${file}, line ${error.lineNumber}`;
      throw makeError({ when: 'start', message: `${place}: ${error.message}` });
    };
    const call = context.newFunction('call', (...handles) => {
      const answer = answerTo(
        host,
        handles.map((handle) => context.getString(handle)),
      );
      return answer === undefined ? context.undefined : context.newString(answer);
    });
    const methods = evaluate(JSON.stringify(host.methods), 'headrace');
    const realmHost = this.#call(evaluate(SANDBOX_HOST, 'headrace'), call, methods);
    const realm = this.#call(evaluate(REALM_SOURCE, 'headrace'), realmHost);
    this.#call(context.getProp(realm, 'load'), evaluate(wrapScript(source).text, name));
    const json = context.getProp(context.global, 'JSON');
    const [run, finish] = ['run', 'finish'].map((step) =>
      this.#call(
        evaluate(`((realm, { stringify }) => () => stringify(realm.${step}()))`, 'headrace'),
        realm.dup(),
        json.dup(),
      ),
    ) as [QuickJSHandle, QuickJSHandle];
    realm.dispose();
    json.dispose();
    this.#runScript = run;
    this.#finishScript = finish;
  }

  /** Memory of WebAssembly never becomes smaller. */
  get grownBytes(): number {
    return this.#memory.buffer.byteLength - this.#startBytes;
  }

  run(millis: number): ScriptFailure | undefined {
    this.#deadline = processorMillis() + millis;
    this.#overdue = false;
    try {
      const failure = this.#callRealm(this.#runScript);
      if (failure !== undefined || !this.#runtime.hasPendingJob()) return failure;
      // The jobs of promises belong to this document.
      return this.#runJobs() ?? this.#callRealm(this.#finishScript);
    } catch (error) {
      // The stack of the thread overflowed inside WebAssembly, so the state is not reliable.
      return { message: messageOf(error), fatal: true };
    } finally {
      this.#deadline = Number.POSITIVE_INFINITY;
    }
  }

  #runJobs(): ScriptFailure | undefined {
    while (this.#runtime.hasPendingJob()) {
      const { error } = this.#runtime.executePendingJobs(JOBS_AT_ONCE);
      if (error !== undefined) return this.#uncaught(error);
      // An interrupted job only rejects its promise. Jobs that create jobs can run forever without an interrupt.
      if (this.#isOverdue()) return { message: 'interrupted', fatal: true };
    }
    return undefined;
  }

  #isOverdue(): boolean {
    this.#overdue ||= processorMillis() > this.#deadline;
    return this.#overdue;
  }

  #callRealm(step: QuickJSHandle): ScriptFailure | undefined {
    const context = this.#context;
    const result = context.callFunction(step, context.undefined);
    if (result.error !== undefined) return this.#uncaught(result.error);
    const answer = context.dump(result.value) as unknown;
    result.value.dispose();
    return typeof answer === 'string' ? (JSON.parse(answer) as ScriptFailure) : undefined;
  }

  /** Returns the failure for an error that no script can catch. */
  #uncaught(error: QuickJSHandle): ScriptFailure {
    const thrown = this.#context.dump(error) as { message?: unknown; stack?: unknown } | null;
    error.dispose();
    // The memory was not enough for an error object. Errors of the script itself are never null here.
    if (thrown === null) return { message: 'out of memory', fatal: true };
    const { message, stack } = thrown;
    return { message: String(message), stack: String(stack), fatal: true };
  }

  #call(callee: QuickJSHandle, ...args: QuickJSHandle[]): QuickJSHandle {
    const context = this.#context;
    const result = context.unwrapResult(context.callFunction(callee, context.undefined, ...args));
    for (const handle of [callee, ...args]) handle.dispose();
    return result;
  }
}

/** Returns the processor time of this thread. */
function processorMillis(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Returns the host's answer to a call from the sandbox, as JSON. */
function answerTo(host: ScriptHost<unknown>, [what = '', first = '', second = '']: string[]): string | undefined {
  switch (what) {
    case 'read': {
      const value = host.read(first);
      return value === undefined ? undefined : writeWire(value, host);
    }
    case 'write':
      return JSON.stringify(host.write(first, readWire(second, host)));
    case 'has':
      return String(host.has(first));
    case 'remove':
      return String(host.remove(first));
    case 'names':
      return JSON.stringify(host.names());
    case 'call': {
      const { value, refusal } = host.call(first, readWire(second, host) as unknown[]);
      if (refusal !== undefined) return JSON.stringify({ refusal });
      return value === undefined ? '{}' : `{"value":${writeWire(value, host)}}`;
    }
    case 'log':
      host.log(first as 'info', second.slice(0, MAX_LOG_CHARACTERS));
      return undefined;
    default:
      throw new Error(`The sandbox called the unknown function ${what}`);
  }
}
