import {
  Connector,
  Document,
  type EncodedBatch,
  type FinishedDocuments,
  Indexer,
  type Notices,
  type Publisher,
  Stage,
  Type,
} from '@headrace/engine';

// Components that report notices, for the tests of runs. Configs load this file as a custom module.

const connectorParameters = Type.Object({
  count: Type.Integer(),
  /** The connector reports each document whose number is a multiple of this. */
  every: Type.Integer({ default: 1 }),
  code: Type.String({ default: 'custom.read' }),
});

/** Publishes numbered documents. */
export class NoticingConnector extends Connector<typeof connectorParameters> {
  static override readonly parameters = connectorParameters;

  override async execute(publisher: Publisher | undefined): Promise<void> {
    const { count, every, code } = this.params;
    for (let i = 0; i < count && publisher?.signal.aborted === false; i++) {
      if (i % every === 0) {
        this.context.notices.report(code as 'custom.read', { class: 'loss', file: 'numbers.txt', line: i + 1 });
      }
      const document = Document.create(String(i));
      document.set('n', i);
      await publisher.publish(document);
    }
  }
}

const stageParameters = Type.Object({ every: Type.Integer({ default: 1 }) });

/** Reports some documents, and reports that it stops. */
export class NoticingStage extends Stage<typeof stageParameters> {
  static override readonly parameters = stageParameters;

  override process(document: Document): void {
    const n = document.get('n') as number;
    if (n % this.params.every !== 0) return;
    this.context.notices.report('custom.changed', { class: 'changed', document: document.id, field: 'n', value: n });
  }

  override stop(): void {
    this.context.notices.report('custom.stopped', { class: 'suspect' });
  }
}

const indexerParameters = Type.Object({ atFinish: Type.Integer({ default: 0 }) });

/** Reports each document, in the encoder and when it is sent, and some at its end. */
export class NoticingIndexer extends Indexer<typeof indexerParameters> {
  static override readonly parameters = indexerParameters;
  static override readonly block = 'noticing';

  override encoder() {
    return { url: import.meta.url, name: 'NoticingEncoder', options: {} };
  }

  override send({ count }: EncodedBatch): [] {
    this.context.notices.report('custom.sent', { class: 'suspect', count });
    return [];
  }

  override async finish({ losses }: FinishedDocuments) {
    this.context.notices.report('custom.finished', { class: 'suspect', count: this.params.atFinish });
    const found = losses.map(({ code, count }) => `${count} ${code}`).join();
    return { checks: [{ name: 'losses', outcome: 'passed', found, expected: '' } as const] };
  }
}

export class NoticingEncoder {
  readonly #notices: Notices;

  constructor(_options: unknown, _log: unknown, notices: Notices) {
    this.#notices = notices;
  }

  encode({ id }: Document): string {
    this.#notices.report('custom.encoded', { class: 'suspect', document: id });
    return `${id}\n`;
  }
}
