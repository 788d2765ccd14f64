import { appendFile, closeSync, openSync } from 'node:fs';
import { messageOf } from '@headrace/engine';
import type { FastifyBaseLogger } from 'fastify';
import type { AuditSettings } from '../settings/service-settings.ts';

/** One line of the audit log: who did what, with which result. It never contains bodies, headers or query strings. */
export interface AuditRecord {
  /** Null for a run that a schedule starts. */
  requestId: string | null;
  user: string | null;
  role: string | null;
  address: string | null;
  /** The method and route of the request, or `login` or `schedule`. */
  action: string;
  /** The id of the config or run that the request names. */
  target: string | null;
  /** The id of the new config or run. For a retry, the id of the new run. */
  made?: string;
  /** How many logins from this address have been refused with status 429 so far. */
  tries?: number;
  outcome: string;
  status: number | null;
}

/**
 * Writes audit records as lines of JSON to a file, or to the service log with `"audit": true`. The file is opened again
 * for each group of lines, so log rotation may move it at any time. If the file cannot be written, its records go to
 * the service log.
 */
export class AuditLog {
  readonly #path: string | undefined;
  readonly #logger: FastifyBaseLogger;
  #lines: string[] = [];
  #writing: Promise<void> | undefined;

  /** Throws if the file cannot be written. */
  constructor({ path }: AuditSettings, logger: FastifyBaseLogger) {
    this.#path = path;
    this.#logger = logger;
    if (path === undefined) return;
    try {
      closeSync(openSync(path, 'a', FILE_MODE));
    } catch (error) {
      throw new Error(`The audit log ${path} (audit.path) cannot be written: ${messageOf(error)}`, { cause: error });
    }
  }

  add(record: AuditRecord): void {
    if (this.#path === undefined) {
      this.#logger.info({ audit: true, ...record }, 'Audit');
      return;
    }
    this.#lines.push(`${JSON.stringify({ time: new Date().toISOString(), ...record })}\n`);
    this.#writing ??= this.#write(this.#path);
  }

  /** Resolves when all records are written. */
  async close(): Promise<void> {
    await this.#writing;
  }

  /** Writes the waiting records in groups. */
  async #write(path: string): Promise<void> {
    while (this.#lines.length > 0) {
      const lines = this.#lines;
      this.#lines = [];
      const error = await append(path, lines.join(''));
      if (error === null) continue;
      this.#logger.error(error, `The audit log ${path} cannot be written; its records follow in this log`);
      for (const line of lines) this.#logger.warn({ audit: true, ...(JSON.parse(line) as AuditRecord) }, 'Audit');
    }
    this.#writing = undefined;
  }
}

const FILE_MODE = 0o600;

function append(path: string, text: string): Promise<Error | null> {
  return new Promise((resolve) => appendFile(path, text, { mode: FILE_MODE }, resolve));
}
