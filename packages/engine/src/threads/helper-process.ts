import { extname } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { HeadraceError } from '../errors/headrace-error.ts';
import { allowedBytes, requiredBoundary, requireNothingHidden } from '../policy/current-policy.ts';
import type { Confinement } from './confinement.ts';
import type { HelperAnswer, HelperCall, HelperEnd, HelperError, HelperStart } from './helper-messages.ts';
import { connectToLastingThread } from './lasting-thread.ts';
import { moduleMounts } from './module-mounts.ts';

interface Call {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/** What a helper process gets, and may use. `maxBytes` is the memory in addition to that of Node. */
export interface HelperOptions extends Omit<Confinement, 'mounts'> {
  /** What the function `receive` of the module gets before all calls. */
  readonly input?: Uint8Array;
  /**
   * The maximum duration of a call on the clock, from when the process can start it. A process that takes longer is
   * ended, and its calls fail with `HR_STAGE_OVERDUE`. Undefined for no limit.
   */
  readonly callMillis?: number | undefined;
  /** The files that the module needs, in addition to its package and those that it depends on. Defaults to none. */
  readonly mounts?: Confinement['mounts'];
}

/** The memory of Node itself, and the address space that V8 reserves for code, which the limit of the kernel counts. */
const NODE_BYTES = 768 * 1024 * 1024;

/**
 * A process for a native library that cannot be in a thread of a run. Such a thread may be terminated at any time: when a
 * run is cancelled, or needs too much memory. Some libraries then end the whole process, and with it the other runs. A
 * helper process is killed when the thread that uses it ends, and a helper that crashes ends only its calls.
 * It starts in an empty directory with an empty environment. On Linux, its memory is limited, and it ends with this
 * process, even if that is killed. If the policy of the thread requires a boundary of the operating system, it runs in
 * one: without network, and with read access only to Node, the packages of the module and the given files.
 */
export class HelperProcess {
  readonly #port: MessagePort;
  readonly #calls = new Map<number, Call>();
  #numbers = 0;
  #ended: Error | undefined;

  private constructor(port: MessagePort) {
    this.#port = port;
    port.on('message', (message: HelperAnswer | HelperEnd) => {
      if ('how' in message) this.#end(message.how, message.code);
      else this.#answered(message);
    });
    port.on('close', () => this.#end('was ended'));
    port.unref();
  }

  /**
   * Starts a process. Throws `HR_POLICY_NO_BOUNDARY` if the policy requires a boundary and the machine has none.
   * @param module exports the functions to call
   */
  static start(
    module: URL,
    { input, maxBytes, maxProcessorSecs, callMillis, mounts = [] }: HelperOptions,
  ): HelperProcess {
    const extension = extname(import.meta.url);
    const boundary = requiredBoundary();
    const entry = new URL(`./helper-process-entry${extension}`, import.meta.url);
    const visible = boundary === undefined ? [] : [...moduleMounts(entry.href, module.href), ...mounts];
    for (const { source, kind } of visible) if (kind === 'directory') requireNothingHidden(source);
    const port = connectToLastingThread(new URL(`./process-keeper-entry${extension}`, import.meta.url));
    const confined = {
      boundary,
      mounts: visible,
      maxBytes: NODE_BYTES + allowedBytes(maxBytes),
      ...(maxProcessorSecs === undefined ? {} : { maxProcessorSecs }),
    };
    port.postMessage({ module: module.href, input, confined, callMillis } satisfies HelperStart);
    return new HelperProcess(port);
  }

  /** False if the process has ended. */
  get alive(): boolean {
    return this.#ended === undefined;
  }

  /**
   * Calls a function of the module. Rejects with the message, code and hint of its error.
   * @param args values that can be sent between processes, such as objects, maps and typed arrays
   */
  call<T>(name: string, ...args: readonly unknown[]): Promise<T> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    const id = this.#numbers++;
    return new Promise<T>((resolve, reject) => {
      this.#calls.set(id, { resolve, reject });
      // The main thread stays alive while it waits for an answer.
      this.#port.ref();
      this.#port.postMessage({ id, name, args } satisfies HelperCall);
    });
  }

  /** Ends the process, even if it is computing. */
  close(): void {
    this.#end('was closed');
    this.#port.close();
  }

  #answered(answer: HelperAnswer): void {
    const call = this.#calls.get(answer.id);
    // The process may have been taken over by a file, so its answers are not believed.
    if (call === undefined) return;
    this.#calls.delete(answer.id);
    if (this.#calls.size === 0) this.#port.unref();
    if ('error' in answer) call.reject(errorOf(answer.error));
    else call.resolve(answer.value as never);
  }

  #end(how: string, code?: HelperEnd['code']): void {
    const message = `The helper process ${how}`;
    this.#ended ??= code === undefined ? new Error(message) : new HeadraceError(code, message);
    for (const { reject } of this.#calls.values()) reject(this.#ended);
    this.#calls.clear();
    this.#port.unref();
  }
}

function errorOf({ message, code, hint }: HelperError): Error {
  if (code?.startsWith('HR_')) return new HeadraceError(code as HeadraceError['code'], message, { hint });
  return Object.assign(new Error(message), { code });
}
