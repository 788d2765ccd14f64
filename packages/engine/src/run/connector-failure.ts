import type { Logger } from '../component/logger.ts';
import { type Failure, messageOf, toFailure } from '../errors/headrace-error.ts';
import { OverdueError } from './time-limits.ts';

/** The failure of a connector, with its text for the run summary. */
export class ConnectorFailure extends Error {
  readonly text: string;
  readonly timed: boolean;
  readonly failure: Failure;

  constructor(text: string, failure: Failure, timed = false) {
    super(failure.message);
    this.text = text;
    this.timed = timed;
    this.failure = failure;
  }
}

/** The phase of a connector that failed. */
export interface FailedPhase {
  /** The text for the run summary. */
  readonly text: string;
  /** The code for an error that has no code. */
  readonly code: Failure['code'];
  /** True if the run summary includes the time of the connector. Defaults to false. */
  readonly timed?: boolean;
}

/** Converts an error to a connector failure. Logs the error unless the run has already logged it. */
export function connectorFailure(
  error: unknown,
  { text, code, timed = false }: FailedPhase,
  logger: Logger,
): ConnectorFailure {
  if (error instanceof ConnectorFailure) return error;
  if (error instanceof OverdueError) {
    const { reason, failure } = error.overdue;
    return new ConnectorFailure(reason === 'timeout' ? 'Connector timeout.' : text, failure, true);
  }
  logger.error(`${text.replace(/\.$/, '')}: ${messageOf(error)}`);
  return new ConnectorFailure(text, toFailure(error, code), timed);
}

/**
 * Runs one phase of a connector. Throws a `ConnectorFailure` for any error except an `OverdueError`, which concerns the
 * whole connector.
 */
export async function inPhase(text: string, logger: Logger, work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof OverdueError) throw error;
    throw connectorFailure(error, { text, code: 'HR_CONNECTOR_FAILED' }, logger);
  }
}

/** Returns the reason for documents that are lost with a failed connector. */
export function reasonOf(error: unknown): Failure {
  if (error instanceof ConnectorFailure) return error.failure;
  return error instanceof OverdueError ? error.overdue.failure : toFailure(error, 'HR_INTERNAL');
}
