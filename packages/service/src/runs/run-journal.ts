import type { KeptFailure, LogRecord, RunProgress, SecretMask } from '@headrace/engine';
import type { Store } from '../store/store.ts';
import { LOG_LEVELS, logLine } from './log-lines.ts';
import { RunEvents } from './run-events.ts';
import { RunFailures } from './run-failures.ts';
import { RUN_INTERVALS } from './run-intervals.ts';
import { RunLog } from './run-log.ts';

/** How many failed documents are reported as events. */
const MAX_FAILURE_EVENTS = 1000;

/** The fields of the state that always change. They alone do not cause an event. */
const RESTLESS = new Set(['seconds', 'docsPerSecond']);

type ConnectorState = RunProgress['connectors'][number];

/**
 * All that a run reports while it runs: its log, its failed documents, and the events for clients that watch it.
 * Secrets of its config are masked.
 */
export class RunJournal {
  readonly events: RunEvents;
  readonly log: RunLog;
  readonly failures: RunFailures;
  readonly #mask: SecretMask;
  readonly #state: () => { name: string; data: object };
  readonly #progressMillis: number;
  #lastState = '';
  #failureEvents = 0;
  readonly #connectors = new Map<string, string>();
  #ticker: NodeJS.Timeout | undefined;

  /** @param state returns the current state of the run, for clients that watch it */
  constructor(
    runId: string,
    store: Store,
    mask: SecretMask,
    state: () => { name: string; data: object },
    { gather, progress } = RUN_INTERVALS,
  ) {
    this.events = new RunEvents(gather);
    this.log = new RunLog(runId, store);
    this.failures = new RunFailures(runId, store);
    this.#mask = mask;
    this.#state = state;
    this.#progressMillis = progress;
  }

  /** Adds a line to the log. Returns it with secrets masked. */
  logged(record: LogRecord): LogRecord {
    const masked = this.#mask.record(record);
    // A run that was abandoned may still send messages.
    if (this.events.ended || !(LOG_LEVELS as readonly string[]).includes(masked.level)) return masked;
    const line = logLine(this.log.nextLine, masked);
    this.log.add(line);
    this.events.add('log', line);
    return masked;
  }

  /** Records failed documents. Their contents are stored unmasked. Rejects if they could not be stored yet. */
  failed(documents: readonly KeptFailure[]): Promise<void> {
    const masked = documents.map((document) => ({ ...document, failure: this.#mask.failure(document.failure) }));
    const stored = this.failures.add(masked);
    // A run that was abandoned may still report failures.
    if (!this.events.ended) this.#announce(masked);
    return stored;
  }

  #announce(masked: readonly KeptFailure[]): void {
    // All failures would push the other events out of the buffer.
    const announced = masked.slice(0, MAX_FAILURE_EVENTS - this.#failureEvents);
    this.#failureEvents += announced.length;
    for (const { id, connector, at, status, failure } of announced) {
      this.events.add('failure', JSON.stringify({ id, connector, at, status, ...failure }));
    }
  }

  /** Reports the connectors that have started or ended since the last call. */
  connectors(states: readonly ConnectorState[]): void {
    for (const { name, status, counts, seconds } of states) {
      const known = this.#connectors.get(name) ?? 'waiting';
      this.#connectors.set(name, status);
      const rounded = Math.round(seconds * 1000) / 1000;
      if (status !== known) this.events.add('connector', JSON.stringify({ name, status, ...counts, seconds: rounded }));
    }
  }

  /** Starts to report progress while a client watches. Returns a function that stops it. */
  watch(reader: () => void): () => void {
    this.#publishState();
    const leave = this.events.onChange(reader);
    this.#ticker ??= setInterval(() => this.#publishState(), this.#progressMillis).unref();
    return () => {
      leave();
      if (!this.events.watched) this.#stopTicking();
    };
  }

  /** Ends the events of a run that is done, with its details as JSON. */
  end(details: string): void {
    this.#stopTicking();
    this.events.end(details);
  }

  #publishState(): void {
    if (this.events.ended) return;
    const { name, data } = this.#state();
    const text = name + JSON.stringify(data, (key, value) => (RESTLESS.has(key) ? undefined : value));
    if (text === this.#lastState) return;
    this.#lastState = text;
    this.events.setState(name, JSON.stringify(data));
  }

  #stopTicking(): void {
    clearInterval(this.#ticker);
    this.#ticker = undefined;
  }
}
