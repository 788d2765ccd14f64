import { BroadcastChannel } from 'node:worker_threads';
import {
  Connector,
  type Document,
  type EncodedBatch,
  Indexer,
  type IndexFailure,
  type Publisher,
  readDocument,
  Stage,
  Type,
  writeDocument,
} from '@headrace/engine';

const channel = Type.Object({ channel: Type.String() });

/** A command of the test to the connector or the indexer. */
export type Command =
  | { readonly to: 'connector'; readonly publish: readonly string[] }
  | { readonly to: 'connector'; readonly end: true }
  /** The answer to the batch with this number. */
  | { readonly to: 'indexer'; readonly batch: number; readonly refuse?: 'document' | 'everything' };

/** What the connector and the indexer report to the test. */
export type Report =
  | { readonly from: 'connector'; readonly is: 'executing' | 'published' | 'settled' | 'unsettled' }
  | { readonly from: 'indexer'; readonly batch: number; readonly documents: readonly string[] };

/** Publishes the documents of the commands, and reports when they are settled. */
export class CommandedConnector extends Connector<typeof channel> {
  static override readonly parameters = channel;
  static override readonly needsPipeline = true;
  #commands: BroadcastChannel | undefined;

  override async execute(publisher: Publisher | undefined): Promise<void> {
    const target = publisher as Publisher;
    const commands = new BroadcastChannel(this.params.channel);
    this.#commands = commands;
    const report = (is: 'executing' | 'published' | 'settled' | 'unsettled') =>
      commands.postMessage({ from: 'connector', is } satisfies Report);
    const { promise, resolve } = Promise.withResolvers<void>();
    target.signal.addEventListener('abort', () => resolve());
    commands.onmessage = async ({ data }) => {
      const command = data as Command;
      if (command.to !== 'connector') return;
      if ('end' in command) return resolve();
      for (const json of command.publish) await target.publish(readDocument(json));
      report('published');
      target.settled().then(
        () => report('settled'),
        () => report('unsettled'),
      );
    };
    report('executing');
    await promise;
  }

  override close(): void {
    this.#commands?.close();
  }
}

/** Fails for documents with the field `bad`. */
export class FailBad extends Stage {
  static override readonly parameters = Type.Object({});

  override process(document: Document): void {
    if (document.has('bad')) throw new Error('this document is bad');
  }
}

/** Encodes a document as JSON. */
export class JsonEncoder {
  encode(document: Document): string {
    return writeDocument(document);
  }
}

/** Reports each batch, and answers it when the test says so. */
export class CommandedIndexer extends Indexer<typeof channel> {
  static override readonly parameters = channel;
  static override readonly block = 'commanded';
  #channel: BroadcastChannel | undefined;
  #batches = 0;
  readonly #answers = new Map<number, (command: Command) => void>();

  override encoder() {
    return { url: import.meta.url, name: 'JsonEncoder', options: {} };
  }

  override connect(): void {
    this.#channel = new BroadcastChannel(this.params.channel);
    this.#channel.onmessage = ({ data }) => {
      const command = data as Command;
      if (command.to === 'indexer') this.#answers.get(command.batch)?.(command);
    };
  }

  override async send(batch: EncodedBatch): Promise<readonly IndexFailure[]> {
    const number = this.#batches++;
    const bytes = Buffer.concat(batch.pieces);
    let at = 0;
    const documents = Array.from(batch.lengths(), (length) => {
      at += length;
      return bytes.toString('utf8', at - length, at);
    });
    const { promise, resolve } = Promise.withResolvers<Command>();
    this.#answers.set(number, resolve);
    this.#channel?.postMessage({ from: 'indexer', batch: number, documents } satisfies Report);
    const answer = await promise;
    this.#answers.delete(number);
    if (answer.to !== 'indexer' || answer.refuse === undefined) return [];
    if (answer.refuse === 'document') return [{ index: 0, message: 'refused by the destination' }];
    return documents.map((_, index) => ({ index, message: 'the destination is down', undelivered: true }));
  }

  override close(): void {
    this.#channel?.close();
  }
}
