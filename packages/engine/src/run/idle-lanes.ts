import { PipelineLane } from './pipeline-lane.ts';
import type { ThreadData } from './thread-messages.ts';

/** Pipeline threads that wait for work. Starting a thread takes tens of milliseconds, so a run keeps its threads. */
export class IdleLanes {
  readonly #data: ThreadData;
  readonly #idle: PipelineLane[] = [];

  constructor(data: ThreadData) {
    this.#data = data;
  }

  /** Starts a thread, so that it is ready for the next `take`. */
  warm(): void {
    this.#idle.push(new PipelineLane(this.#data));
  }

  take(): PipelineLane {
    for (let lane = this.#idle.pop(); lane !== undefined; lane = this.#idle.pop()) if (lane.alive) return lane;
    return new PipelineLane(this.#data);
  }

  give(lane: PipelineLane): void {
    this.#idle.push(lane);
  }

  /** Ends the waiting threads. */
  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map((lane) => lane.terminate()));
  }
}
