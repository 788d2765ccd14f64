import {
  Connector,
  Document,
  type DocumentTable,
  Indexer,
  type Publisher,
  type RecordSink,
  Shape,
  Stage,
  type StageResult,
  Type,
} from '@headrace/engine';

// Components that break a rule of their interface, as a mistake in plain JavaScript would. Configs load this file as a
// custom module.

const parameters = Type.Object({ breach: Type.String() });
type Breaches<T extends unknown[]> = Readonly<Record<string, (...args: T) => unknown>>;

const publish: Breaches<[Publisher]> = {
  'a plain object': (publisher) => publisher.publish({ id: 'a' } as never),
  'no id': (publisher) => publisher.publish(new Document(Shape.of(['a']), ['x'])),
  'a number as id': (publisher) => publisher.publish(Document.create(5 as never)),
  'a value too few': (publisher) => publisher.publish(new Document(Shape.of(['id', 'a']), ['x'])),
  'one document for all records': async (publisher) => {
    const document = Document.create('a');
    for (const n of [1, 2, 3]) {
      document.set('n', n);
      await publisher.publish(document);
    }
  },
  'a text as bytes': (publisher) => publisher.publishChunk(chunkOf('LinesDecoder', 'a\n' as never)),
  'no decoder': (publisher) => publisher.publishChunk({ bytes: Buffer.from('a\n'), position: 0 } as never),
  'a wrong number of documents': (publisher) =>
    publisher.publishChunk({ ...chunkOf('LinesDecoder', Buffer.from('a\nb\n')), documents: 3 }),
  'more documents than published': (publisher) =>
    publisher.publishChunk({ ...chunkOf('LinesDecoder', Buffer.from('a\nb\n')), documents: 1 }),
  'no chunk': (publisher) => publisher.publishChunk(undefined as never),
  'no rejected record': (publisher) => publisher.reject(undefined as never),
  'a text as rejected record': (publisher) => publisher.reject('line 3' as never),
  'a rejected record without a message': (publisher) => publisher.reject({ place: 'x:1' } as never),
  'a rejected record of no documents': (publisher) => publisher.reject({ place: 'x:1', message: 'm', count: 0 }),
  'a late publish': (publisher) => {
    const later = async () => publisher.publish(Document.create('late'));
    setImmediate(() => later().catch(() => undefined));
    return publisher.publish(Document.create('a'));
  },
};

function chunkOf(decoder: string, bytes: Uint8Array) {
  return { bytes, decoder: { url: import.meta.url, name: decoder, options: {} }, position: 0 };
}

/** Breaks a rule of connectors, or publishes a chunk whose decoder breaks one. */
export class ContractConnector extends Connector<typeof parameters> {
  static override readonly parameters = parameters;

  override async execute(publisher: Publisher | undefined): Promise<void> {
    const { breach } = this.params;
    const { [breach]: act } = publish;
    if (publisher === undefined) throw new Error('ContractConnector needs a pipeline');
    if (act !== undefined) await act(publisher);
    else await publisher.publishChunk(chunkOf(breach, Buffer.from('a\nb\n')));
  }
}

/** Publishes chunks in memory that it uses again, without waiting for the calls. */
export class HastyConnector extends Connector {
  static override readonly parameters = Type.Object({});

  override execute(publisher: Publisher | undefined): void {
    const bytes = Buffer.alloc(3);
    for (const id of ['a', 'b', 'c']) {
      bytes.write(`${id}1\n`);
      void publisher?.publishChunk(chunkOf('LinesDecoder', bytes));
    }
  }
}

/** Makes a document of each line. */
export class LinesDecoder {
  decode(bytes: Uint8Array, _: unknown, sink: RecordSink): void {
    for (const line of Buffer.from(bytes).toString().trim().split('\n')) sink.document(Document.create(line));
  }
}

export class AsyncDecoder {
  async decode(bytes: Uint8Array, _: unknown, sink: RecordSink): Promise<void> {
    await undefined;
    new LinesDecoder().decode(bytes, _, sink);
  }
}

export class LateDecoder {
  decode(bytes: Uint8Array, _: unknown, sink: RecordSink): void {
    queueMicrotask(() => new LinesDecoder().decode(bytes, _, sink));
  }
}

export class SameDocumentDecoder {
  decode(_: Uint8Array, __: unknown, sink: RecordSink): void {
    const document = Document.create('a');
    for (const n of [1, 2]) {
      document.set('n', n);
      sink.document(document);
    }
  }
}

export class PlainDecoder {
  decode(_: Uint8Array, __: unknown, sink: RecordSink): void {
    sink.document({ id: 'a' } as never);
  }
}

export class NoIdDecoder {
  decode(_: Uint8Array, __: unknown, sink: RecordSink): void {
    sink.document(new Document(Shape.of(['a']), ['x']));
  }
}

const process: Breaches<[Document]> = {
  'its own document': (document) => [document],
  'a plain object as child': () => [{ id: 'child' }],
  'a child without an id': () => [new Document(Shape.of(['a']), ['x'])],
  'a document': () => Document.create('child'),
  'an array of texts': () => ['a'],
  'a plain object': () => ({ id: 'x' }),
};

/** Breaks a rule of stages. */
export class ContractStage extends Stage<typeof parameters> {
  static override readonly parameters = parameters;
  override readonly maxInFlight = this.params.breach === 'maxInFlight' ? Number.NaN : 1;
  declare processTable?: (table: DocumentTable) => boolean;

  override start(): void {
    if (this.params.breach === 'an async processTable') this.processTable = (async () => true) as never;
  }

  override process(document: Document): StageResult {
    return process[this.params.breach]?.(document) as StageResult;
  }
}

const send: Breaches<[number]> = {
  nothing: () => undefined,
  'a position that is not in the batch': (count) => [{ index: count, message: 'm' }],
  'a position twice': () => [0, 0].map((index) => ({ index, message: 'm' })),
  'too few outcomes': (count) => ({
    confirmed: Promise.resolve({ created: 0, succeeded: count - 1, failed: 0, dropped: 0, failures: [] }),
  }),
  'no outcomes': () => ({ confirmed: Promise.resolve(undefined) }),
};

/** Breaks a rule of indexers, or has an encoder that breaks one. */
export class ContractIndexer extends Indexer<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly block = 'contract';
  override readonly maxInFlight = this.params.breach === 'maxInFlight' ? 0 : 1;
  override readonly streaming = this.params.breach.startsWith('Pack');

  override encoder() {
    const { breach } = this.params;
    return { url: import.meta.url, name: breach.endsWith('Encoder') ? breach : 'TextEncoder', options: {} };
  }

  override async send({ count }: { count: number }) {
    return (send[this.params.breach]?.(count) ?? (this.params.breach === 'nothing' ? undefined : [])) as [];
  }

  override async finish() {
    return (this.params.breach === 'finish' ? { checks: [{ name: 'n', outcome: 'FAILED' }] } : { checks: [] }) as never;
  }
}

export class TextEncoder {
  encode(document: Document): string {
    return document.toJson();
  }
}

export class NothingEncoder {
  encode(): void {}
}

export class AsyncEncoder {
  async encode(): Promise<string> {
    return 'x';
  }
}

export class EmptyEncoder {
  encode(): string {
    return '';
  }
}

export class EmptyTableEncoder extends TextEncoder {
  encodeTable(table: DocumentTable): string[] {
    return table.ids.map((id, row) => (row === 1 ? '' : id));
  }
}

/** Has a table encoder for an indexer that is streaming, whose texts may contain several documents. */
export class PackEmptyEncoder extends TextEncoder {
  encodeTable(): string[] {
    return [''];
  }
  pack(documents: Uint8Array): Uint8Array<ArrayBuffer> {
    return new Uint8Array(documents);
  }
}

export class ShortTableEncoder extends TextEncoder {
  encodeTable(table: DocumentTable): string[] {
    return table.ids.slice(1) as string[];
  }
}

export class HashEncoder extends TextEncoder {
  hash(documents: Uint8Array): Uint8Array<ArrayBuffer> {
    return new Uint8Array(documents.length === 0 ? 0 : 1);
  }
}

export class PackSameEncoder extends TextEncoder {
  pack(documents: Uint8Array): Uint8Array {
    return documents;
  }
}

export class PackNothingEncoder extends TextEncoder {
  pack(): void {}
}
