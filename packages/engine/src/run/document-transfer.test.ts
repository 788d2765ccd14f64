import { describe, expect, it } from 'vitest';
import type { SourceBatch } from '../batch/pipeline-messages.ts';
import { silentLogger } from '../component/logger.ts';
import { Document } from '../document/document.ts';
import type { Failure } from '../errors/headrace-error.ts';
import { silentNotices } from '../notices/notice.ts';
import type { BatchingPublisher } from './batching-publisher.ts';
import { ConnectorFailure } from './connector-failure.ts';
import { noDocuments } from './counters.ts';
import { DocumentTransfer, type DocumentTransferOptions } from './document-transfer.ts';
import { OverdueError } from './time-limits.ts';

const LOST: Failure = { code: 'HR_RUN_THREAD_LOST', message: 'the thread is gone' };

/** Pipeline threads and an indexer that record their calls, in order. */
class Recorder {
  readonly events: string[] = [];
  readonly logged: string[] = [];
  readonly counts = noDocuments();
  readonly stopping = new AbortController();
  failed: Failure | undefined;
  lost = false;

  /** Returns the transfer of a source that publishes documents with these ids and then calls `then`. */
  transfer(
    ids: readonly string[],
    then?: () => Promise<void>,
    options: Partial<DocumentTransferOptions> = {},
  ): DocumentTransfer {
    const recorder = this;
    const execute = async (publisher: BatchingPublisher) => {
      for (const id of ids) await publisher.publish(Document.create(id));
      await then?.();
    };
    return new DocumentTransfer({
      source: { execute },
      tracks: { begin: () => undefined },
      pool: {
        waitForSpace: async () => undefined,
        submit: (batch) => this.#submit(batch),
        submitted: 0,
        check: () => undefined,
        drain: async () => void this.events.push('drain'),
        get failed() {
          return recorder.failed;
        },
        get lost() {
          return recorder.lost;
        },
        refuse: ({ code }) => void this.events.push(`refuse ${code}`),
      },
      indexing: {
        settled: async () => undefined,
        hurry: () => undefined,
        flush: async () => void this.events.push('flush'),
        abort: async ({ code }) => void this.events.push(`abort ${code}`),
        undelivered: 0,
      },
      flow: { stop: () => void this.events.push('stop'), stopped: false },
      accounts: {
        counts: this.counts,
        waitForPending: async () => undefined,
        rejected: () => undefined,
        lost: (documents, { code }) => void this.events.push(`lost ${documents} ${code}`),
      },
      reports: { stored: async () => undefined, unkept: 0 },
      signal: this.stopping.signal,
      timeoutMillis: 0,
      notices: silentNotices,
      collapse: false,
      maxPending: undefined,
      logger: { ...silentLogger, info: (message) => void this.logged.push(message) },
      ...options,
    });
  }

  #submit(batch: SourceBatch): void {
    const count = batch.kind === 'records' ? 0 : batch.count;
    this.counts.published += count;
    this.events.push(`submit ${count}`);
  }
}

const fails = async (): Promise<void> => {
  throw new Error('the source broke');
};

describe('the transfer of the documents of a connector', () => {
  it('sends all documents and ends after the pipeline threads and the indexer have finished', async () => {
    const recorder = new Recorder();
    const transfer = recorder.transfer(['a', 'b']);
    await transfer.run();
    expect(recorder.events).toEqual(['submit 2', 'drain', 'flush']);
    expect(transfer.received).toBe(2);
    expect(recorder.logged).toEqual([expect.stringMatching(/^2 docs published\. 0 children/)]);
  });

  it('finishes the published documents if the source fails, and then fails', async () => {
    const recorder = new Recorder();
    const error = await recorder
      .transfer(['a', 'b'], fails)
      .run()
      .catch((error: unknown) => error);
    expect(error).toBeInstanceOf(ConnectorFailure);
    expect(error).toMatchObject({ text: 'Connector exception.', failure: { message: 'the source broke' } });
    expect(recorder.events.slice(0, 3)).toEqual(['submit 2', 'drain', 'flush']);
  });

  it('ignores an error of a source after a stop request', async () => {
    const recorder = new Recorder();
    const then = async () => {
      recorder.stopping.abort();
      await fails();
    };
    await recorder.transfer(['a'], then).run();
    expect(recorder.events).toEqual(['submit 1', 'drain', 'flush']);
  });

  it('abandons a source that exceeds the time limit, and counts its waiting documents as lost', async () => {
    const recorder = new Recorder();
    const never = () => new Promise<void>(() => undefined);
    const collapse = recorder.transfer(['a'], never, { timeoutMillis: 20, collapse: true });
    await expect(collapse.run()).rejects.toThrow(OverdueError);
    expect(recorder.events).toEqual([
      'stop',
      'refuse HR_CONNECTOR_TIMEOUT',
      'abort HR_CONNECTOR_TIMEOUT',
      'lost 1 HR_CONNECTOR_TIMEOUT',
    ]);
  });

  it('fails with the reason of a lost pipeline thread, and sends nothing more to the indexer', async () => {
    const recorder = new Recorder();
    const then = async () => {
      recorder.failed = LOST;
      recorder.lost = true;
    };
    await expect(recorder.transfer(['a'], then).run()).rejects.toMatchObject({ failure: LOST });
    expect(recorder.events).not.toContain('flush');
    expect(recorder.events).toContain('abort HR_RUN_THREAD_LOST');
  });

  it('counts received documents before it merges documents with the same id', async () => {
    const recorder = new Recorder();
    const transfer = recorder.transfer(['a', 'a', 'b'], undefined, { collapse: true });
    await transfer.run();
    expect([transfer.received, recorder.counts.published]).toEqual([3, 2]);
    expect(recorder.logged).toEqual([expect.stringContaining('3 docs published (2 after collapsing)')]);
  });

  it('logs no counts if the source fails before it publishes a document', async () => {
    const recorder = new Recorder();
    await expect(recorder.transfer([], fails).run()).rejects.toThrow('the source broke');
    expect(recorder.logged).toEqual([]);
  });
});
