import { type LogRecord, type Notice, noDocuments, type RunHandle, type StageProgress } from '@headrace/engine';
import { HealthQuestions, type ThreadHealth } from '../health/health-channel.ts';
import { noHealth, type RoleCounts, type RoleHealth, type RoleState } from './role-health.ts';

/**
 * The health of the process that publishes a run. It also reports the lag of the source topics, which shows how much
 * work waits while no worker is running.
 */
export class PublisherHealth implements RoleHealth {
  readonly name = 'publisher';
  readonly restarts = 0;
  state: RoleState = 'starting';
  lastFailure: string | undefined;
  #handle: RunHandle | undefined;
  #questions: HealthQuestions | undefined;

  get counts(): RoleCounts {
    return this.#handle?.progress().counts ?? noDocuments();
  }

  get stages(): readonly StageProgress[] {
    return this.#handle?.progress().stages ?? [];
  }

  get notices(): readonly Notice[] {
    return this.#handle?.progress().notices ?? [];
  }

  /** Call this when the run starts. */
  started(handle: RunHandle): void {
    this.#handle = handle;
    this.#questions = new HealthQuestions(handle.runId, () => {
      this.state = 'running';
      this.lastFailure = undefined;
    });
  }

  /** Must be called for each record that the run logs. While the run starts, warnings say what it waits for. */
  logged({ level, message }: LogRecord): void {
    if (this.state === 'starting' && level === 'warn') this.lastFailure = message;
  }

  async health(): Promise<ThreadHealth> {
    if (this.#questions === undefined || this.state !== 'running') return noHealth(this.lastFailure);
    return this.#questions.ask();
  }

  close(): void {
    this.#questions?.close();
  }
}
