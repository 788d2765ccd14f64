import type { ConnectorConfig, IngestConfig } from '../config/ingest-config.ts';
import { toFailure } from '../errors/headrace-error.ts';
import type { Problem } from '../errors/problem.ts';
import { type FailedInput, readFailureLine } from './failure-line.ts';
import type { KeptDocument } from './kept-failure.ts';

/** The maximum number of invalid lines that are reported, and of ids in one problem. */
const MAX_REPORTED_LINES = 100;
const MAX_REPORTED_IDS = 5;

/** A failed document that can be processed again. */
export interface RetryDocument {
  readonly id: string;
  readonly document: KeptDocument;
}

/** The documents of a retry, by connector. */
export interface RetryPlan {
  /** The connectors that have documents, in the order of the config. */
  readonly connectors: readonly { readonly config: ConnectorConfig; readonly documents: readonly RetryDocument[] }[];
  /** Errors for invalid lines. Warnings for documents that cannot be processed again, or errors if none can be. */
  readonly problems: readonly Problem[];
}

/**
 * Groups failed documents by connector.
 * @param lines the lines that `writeFailureLine` wrote
 * @param encodingFor returns the current encoding of the documents of a connector
 */
export function planRetry(
  lines: readonly string[],
  config: IngestConfig,
  encodingFor: (connector: string) => string,
): RetryPlan {
  const problems: Problem[] = [];
  const wanted = new Map<string, RetryDocument[]>();
  const omitted = new Map<string, string[]>();
  for (const [i, line] of lines.entries()) {
    if (problems.length >= MAX_REPORTED_LINES) break;
    let input: FailedInput;
    try {
      input = readFailureLine(line);
    } catch (error) {
      const { code, message } = toFailure(error, 'HR_INTERNAL');
      const hint = 'Use the format of `headrace run --failures` and `GET /v1/run/{id}/failures`.';
      problems.push({ severity: 'error', code, path: '', message: `Failed document ${i + 1}: ${message}`, hint });
      continue;
    }
    const { id, connector, document } = input;
    const reason = reasonAgainst(input, config, encodingFor);
    if (reason !== undefined) omitted.getOrInsertComputed(reason, () => []).push(id);
    else {
      wanted.getOrInsertComputed(connector, () => []).push({ id, document: document as KeptDocument });
    }
  }
  // A retry without documents is an error, because it must not look like a success.
  const severity = wanted.size === 0 ? 'error' : 'warning';
  for (const [reason, ids] of omitted) problems.push(omittedProblem(reason, ids, severity));
  const connectors = config.connectors.flatMap((connector) => {
    const documents = wanted.get(connector.name);
    // The documents are already collapsed. A second document with the same id is another version of it.
    return documents === undefined ? [] : [{ config: { ...connector, collapse: false }, documents }];
  });
  return { connectors, problems };
}

function reasonAgainst(
  { connector, document, omitted }: FailedInput,
  config: IngestConfig,
  encodingFor: (connector: string) => string,
): string | undefined {
  if (document === undefined) return omitted;
  const known = config.connectors.find(({ name }) => name === connector);
  if (known === undefined) return `The config has no connector ${connector}`;
  if (known.pipeline === undefined) return `The connector ${connector} has no pipeline`;
  if (document.kind === 'encoded' && document.encoding !== encodingFor(connector)) {
    return 'The documents were encoded for another indexer, or for other settings of this indexer';
  }
  return undefined;
}

function omittedProblem(reason: string, ids: readonly string[], severity: Problem['severity']): Problem {
  const shown = ids.slice(0, MAX_REPORTED_IDS).join(', ');
  const more = ids.length > MAX_REPORTED_IDS ? ' …' : '';
  const what = ids.length === 1 ? '1 failed document is' : `${ids.length} failed documents are`;
  return {
    severity,
    code: 'HR_RETRY_LEFT_OUT',
    path: '',
    message: `${what} not run again. ${reason}: ${shown}${more}`,
    hint: 'Run the source again to process these documents.',
  };
}
