import type { Logger } from '../component/logger.ts';
import { type Failure, messageOf, toFailure } from '../errors/headrace-error.ts';
import { OverdueError } from './time-limits.ts';

/** A failure of a connector, with the words that the run summary has for it. */
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

/** What a connector was doing when it failed. */
export interface FailedPhase {
  /** As the run summary has it. */
  readonly text: string;
  /** The code of an error that has none. */
  readonly code: Failure['code'];
  /** Whether the run summary has the time that the connector took. False when absent. */
  readonly timed?: boolean;
}

/** The failure of a connector that an error means. An error that is new to the run is logged. */
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
 * Runs one phase of a connector. Throws a `ConnectorFailure` for what it throws, except for an `OverdueError`: that one
 * is about the connector as a whole.
 */
export async function inPhase(text: string, logger: Logger, work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof OverdueError) throw error;
    throw connectorFailure(error, { text, code: 'HR_CONNECTOR_FAILED' }, logger);
  }
}

/** The reason in an error of a connector, for its documents. */
export function reasonOf(error: unknown): Failure {
  if (error instanceof ConnectorFailure) return error.failure;
  return error instanceof OverdueError ? error.overdue.failure : toFailure(error, 'HR_INTERNAL');
}
