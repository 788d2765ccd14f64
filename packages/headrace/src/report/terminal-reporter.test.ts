import type { WriteStream } from 'node:tty';
import { noDocuments, type RunProgress } from '@headrace/engine';
import { describe, expect, it } from 'vitest';
import { progressLine, TerminalReporter } from './terminal-reporter.ts';

const progress: RunProgress = {
  counts: { published: 12_345, created: 0, succeeded: 12_000, failed: 3, dropped: 0 },
  connectors: [
    { name: 'first', status: 'complete', counts: noDocuments(), seconds: 1 },
    { name: 'movies', status: 'running', counts: noDocuments(), seconds: 1 },
  ],
  stages: [],
  notices: [],
};

/** Creates a terminal of the given width that records its output. */
function terminal(columns: number) {
  const written: string[] = [];
  const stream = { columns, write: (text: string) => written.push(text) > 0 } as unknown as WriteStream;
  return { stream, written };
}

describe('the progress line', () => {
  it('contains the name of the connector and the counts', () => {
    expect(progressLine(progress, 2)).toBe(
      'movies: 12,345 published, 12,000 succeeded, 3 failed, 342 pending, 6,002 docs/s, 2 s',
    );
  });

  it('can be printed before the first connector starts', () => {
    const counts = { published: 0, created: 0, succeeded: 0, failed: 0, dropped: 0 };
    expect(progressLine({ counts, connectors: [], stages: [], notices: [] }, 0)).toBe(
      'run: 0 published, 0 succeeded, 0 pending, 0 docs/s, 0 s',
    );
  });
});

describe('the terminal reporter', () => {
  it('prints warnings and errors above the progress line, which is cut to the width and erased at the end', () => {
    const { stream, written } = terminal(20);
    const reporter = new TerminalReporter(stream, () => progress);
    const record = { time: 0, logger: 'movies' };
    reporter.log({ ...record, level: 'info', message: 'quiet' });
    reporter.log({ ...record, level: 'error', message: 'Document FAILED: 7', fields: { reason: 'no date' } });
    reporter.close();
    expect(written).toEqual([
      '\r\u001b[Kerror: movies: Document FAILED: 7: no date\n',
      '\r\u001b[Kmovies: 12,345 publ',
      '\r\u001b[K',
    ]);
  });
});
