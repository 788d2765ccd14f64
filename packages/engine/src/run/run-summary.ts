import type { CheckResult } from '../component/indexer.ts';
import { counted } from '../errors/counted.ts';
import { escapeControls } from '../errors/plain-text.ts';
import { formatProblem, type Problem } from '../errors/problem.ts';
import type { Notice } from '../notices/notice.ts';
import { noticeText } from '../notices/notice-text.ts';
import type { ConnectorResult, RunResult } from './run-result.ts';

const OUTCOMES: Readonly<Record<RunResult['status'], string>> = {
  SUCCEEDED: 'Success.',
  FAILED: 'Failure.',
  CANCELLED: 'Cancelled.',
  INTERRUPTED: 'Interrupted.',
};

/**
 * Returns the summary of a run in the format of the reference, because people and scripts read it: two newlines, a line
 * about the run, a line for each connector. The reasons of failures follow. The reference only writes these to its log.
 * @param more.notKept the number of failed documents that cannot be retried because too many failed before them
 * @param more.checks the results of the checks of the output
 * @param more.notices the notices of the components
 * @param more.unchanged the number of succeeded documents that were not sent, because the destination has them
 */
export function runSummary(
  status: RunResult['status'],
  connectors: readonly ConnectorResult[],
  problems: readonly Problem[],
  {
    notKept = 0,
    checks = [],
    unchanged = 0,
    notices = [],
  }: {
    readonly notKept?: number;
    readonly checks?: readonly CheckResult[];
    readonly unchanged?: number;
    readonly notices?: readonly Notice[];
  } = {},
): string {
  const sum = (count: (connector: ConnectorResult) => number) => connectors.reduce((total, c) => total + count(c), 0);
  const failed = sum((c) => c.counts.failed);
  const succeededDocs = sum((c) => c.counts.succeeded);
  const dropped = sum((c) => c.counts.dropped);
  const complete = connectors.filter((connector) => connector.status === 'complete').length;
  const outcome = status === 'SUCCEEDED' && failed > 0 ? 'Partial success.' : OUTCOMES[status];
  const documents =
    failed > 0
      ? 'Some docs failed.'
      : succeededDocs > 0
        ? 'All published docs succeeded.'
        : dropped > 0
          ? 'All published docs were dropped.'
          : 'No docs published.';
  const lines = connectors
    .flatMap(connectorLines)
    .map((line) => `${escapeControls(line)}\n`)
    .join('');
  const checked = checks
    .map(({ name, outcome, found, expected }) => {
      const result = outcome === 'failed' ? 'FAILED' : outcome;
      return `${escapeControls(`Check ${name}: ${result}. ${found}, expected ${expected}`)}\n`;
    })
    .join('');
  const skipped =
    unchanged === 0
      ? ''
      : `\nUnchanged, because the destination already has them: ${counted(unchanged, 'document')}.\n`;
  const noticed = notices
    .filter(({ ignored }) => ignored !== true)
    .map((notice) => `Notice ${escapeControls(noticeText(notice))}\n`)
    .join('');
  const reasons = problems
    .filter((problem) => problem.severity === 'error')
    .map((problem) => `${formatProblem(problem)}\n`);
  const why = reasons.length === 0 ? '' : `\n${reasons.join('')}`;
  const left =
    notKept === 0 ? '' : `\n${notKept} further failed ${notKept === 1 ? 'document was' : 'documents were'} not kept.\n`;
  return `\n\nRUN SUMMARY: ${outcome} ${complete}/${connectors.length} connectors complete. ${documents}\n\n${lines}${skipped}${noticed === '' ? '' : `\n${noticed}`}${checked === '' ? '' : `\n${checked}`}${left}${why}`;
}

/** Returns the line about a connector, and another one if it has left a message. */
function connectorLines(connector: ConnectorResult): string[] {
  const { name, message } = connector;
  return [connectorLine(connector), ...(message === undefined ? [] : [`Message from ${name}: ${message}`])];
}

function connectorLine({ name, status, hasPipeline, counts, seconds, error }: ConnectorResult): string {
  const time = `Time: ${seconds.toFixed(2)} secs.`;
  if (status === 'skipped') return `${name}: skipped.`;
  if (status === 'failed') return `${name}: ERROR. ${error?.text}${error?.timed === true ? ` ${time}` : ''}`;
  const verb = status === 'stopped' ? 'stopped' : 'complete';
  if (!hasPipeline) return `${name}: ${verb}. No pipeline configured. ${time}`;
  const { succeeded, failed, dropped } = counts;
  const documents =
    failed > 0
      ? `${succeeded} docs succeeded. ${failed} docs FAILED.`
      : `${succeeded} docs succeeded. 0 docs failed. ${dropped} docs dropped.`;
  return `${name}: ${verb}. ${documents} ${time}`;
}
