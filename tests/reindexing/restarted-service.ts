import { setTimeout as sleep } from 'node:timers/promises';

/** A service whose store outlives it. */
export interface KillableService {
  readonly url: Promise<string>;
  /** Kills the process with SIGKILL. */
  kill(): Promise<unknown>;
}

interface Run {
  readonly runId: string;
  readonly done: boolean;
  readonly status: string;
  readonly runResult: { readonly message: string } | null;
}

/** A service that is killed and started again. Requests to it are repeated after the restart. */
export class RestartedService {
  readonly #launch: () => KillableService;
  #service: KillableService;
  /** The URL of the present process, or of the next one. */
  #url: Promise<string>;

  constructor(launch: () => KillableService) {
    this.#launch = launch;
    this.#service = launch();
    this.#url = this.#service.url;
  }

  /** Kills the service, and starts it again. */
  async kill(): Promise<void> {
    const restarted = Promise.withResolvers<string>();
    // Before the kill, so that failed requests wait for the restart.
    this.#url = restarted.promise;
    await this.#service.kill();
    this.#service = this.#launch();
    restarted.resolve(this.#service.url);
    await this.#url;
  }

  async end(): Promise<void> {
    await this.#service.kill();
  }

  /** Uploads a config, and returns its id. */
  async upload(config: string): Promise<string> {
    return (await this.#ask<{ configId: string }>('/v1/config', config)).configId;
  }

  async start(configId: string): Promise<string> {
    return (await this.#ask<Run>('/v1/run', { configId })).runId;
  }

  /** Cancels a run, unless it has already ended. */
  async cancel(runId: string): Promise<void> {
    await this.#ask(`/v1/run/${runId}/cancel`, {}, 409);
  }

  /** Returns a run when it has ended. */
  async endOf(runId: string): Promise<Run> {
    for (;;) {
      const run = await this.#ask<Run>(`/v1/run/${runId}`);
      if (run.done) return run;
      await sleep(20);
    }
  }

  /** Starts a run, and returns it when it has ended. */
  async run(configId: string): Promise<Run> {
    return this.endOf(await this.start(configId));
  }

  /**
   * Sends a request, again if the service was killed meanwhile.
   * @param body a config as text, or the body of a request; undefined for GET
   * @param accepted a status that counts as success too
   */
  async #ask<Answer>(path: string, body?: object | string, accepted = 200): Promise<Answer> {
    const type = typeof body === 'string' ? 'application/hocon' : 'application/json';
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const request = body === undefined ? {} : { method: 'POST', headers: { 'content-type': type }, body: text };
    for (;;) {
      const before = this.#url;
      const url = (await before) + path;
      try {
        const response = await fetch(url, request);
        const answer = await response.text();
        if (!response.ok && response.status !== accepted) throw new Error(`${url}: ${response.status} ${answer}`);
        return JSON.parse(answer) as Answer;
      } catch (error) {
        // A connection that breaks without a kill is an error.
        if (!(error instanceof TypeError) || this.#url === before) throw error;
      }
    }
  }
}
