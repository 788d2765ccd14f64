import { StubServer } from '@headrace/testing/stub-server';
import { onTestFinished } from 'vitest';
import type { Fields } from './rebuild-runs.ts';

/** A source that answers when the test says so. */
export class HeldFeed {
  /** The class and the parameters of the connector. */
  readonly source: string;
  /** Resolves when a run has begun to read. */
  readonly asked: Promise<void>;
  /** Lets the run read the documents. */
  readonly release: () => void;

  private constructor(url: string, asked: Promise<void>, release: () => void) {
    this.source = `class: RSSConnector, rssURL: "${url}"`;
    this.asked = asked;
    this.release = release;
  }

  /** @param documents documents with an `id` and a `title` */
  static async start(documents: readonly Fields[]): Promise<HeldFeed> {
    const asked = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const stub = await StubServer.start(async (_, response) => {
      asked.resolve();
      await released.promise;
      const items = documents.map(({ id, title }) => `<item><guid>${id}</guid><title>${title}</title></item>`);
      response.end(`<rss version="2.0"><channel>${items.join('')}</channel></rss>`);
    });
    onTestFinished(() => stub.close());
    return new HeldFeed(stub.url, asked.promise, released.resolve);
  }
}
