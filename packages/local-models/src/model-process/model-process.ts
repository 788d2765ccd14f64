import { extname } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { connectToLastingThread } from 'headrace/engine';
import type { Answer, Ended, OpenRequest, Request, RunRequest, TokenVectors } from './messages.ts';

interface Call {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** A request without its number. */
type Content<T = Request> = T extends Request ? Omit<T, 'id'> : never;

/** The device of a model cannot be used. */
export class DeviceError extends Error {}

/** A model in a separate process. The process ends with this thread at the latest. */
export class ModelProcess {
  readonly #port: MessagePort;
  readonly #calls = new Map<number, Call>();
  #requests = 0;
  #ended: Error | undefined;

  private constructor(port: MessagePort) {
    this.#port = port;
    port.on('message', (message: Answer | Ended) => {
      if (message.type === 'ended') this.#end(message.how);
      else this.#answered(message);
    });
    port.on('close', () => this.#end('was ended'));
    port.unref();
  }

  /**
   * Starts the process and loads a model.
   * @param graph the content of an ONNX file
   */
  static async open(graph: Uint8Array, options: Omit<OpenRequest, 'graphBytes'>): Promise<ModelProcess> {
    const entry = new URL(`./process-keeper-entry${extname(import.meta.url)}`, import.meta.url);
    const model = new ModelProcess(await connectToLastingThread(entry));
    try {
      await model.#ask({ type: 'open', request: { ...options, graphBytes: graph.length } }, { graph });
    } catch (error) {
      model.close();
      throw error;
    }
    return model;
  }

  /** False if the process has ended. */
  get alive(): boolean {
    return this.#ended === undefined;
  }

  async run(request: RunRequest): Promise<TokenVectors> {
    const answer = await this.#ask({ type: 'run', request });
    return (answer as Extract<Answer, { type: 'ran' }>).vectors;
  }

  /** Ends the process, even if it is computing. */
  close(): void {
    this.#end('was closed');
    this.#port.close();
  }

  #ask(content: Content, more: object = {}): Promise<Answer> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    const id = this.#requests++;
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { resolve, reject });
      // The main thread stays alive while it waits for an answer.
      this.#port.ref();
      this.#port.postMessage({ id, ...content, ...more });
    });
  }

  #answered(answer: Answer): void {
    const call = this.#calls.get(answer.id) as Call;
    this.#calls.delete(answer.id);
    if (this.#calls.size === 0) this.#port.unref();
    if (answer.type !== 'failed') call.resolve(answer);
    else call.reject(answer.reason === 'device' ? new DeviceError(answer.message) : new Error(answer.message));
  }

  #end(how: string): void {
    this.#ended ??= new Error(`The process of the model ${how}`);
    for (const { reject } of this.#calls.values()) reject(this.#ended);
    this.#calls.clear();
    this.#port.unref();
  }
}
