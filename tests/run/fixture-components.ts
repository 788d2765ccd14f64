import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import {
  Connector,
  Document,
  type DocumentEncoder,
  type EncodedBatch,
  type FinishedOutput,
  Indexer,
  type IndexFailure,
  type ModuleReference,
  type Publisher,
  type RecordDecoder,
  type RecordSink,
  Stage,
  Type,
} from '@headrace/engine';

// Components that misbehave on demand, for the tests of runs. Configs load this file as a custom module.

const countParameters = Type.Object({
  count: Type.Integer(),
  /** The connector fails after this many documents. */
  failAfter: Type.Optional(Type.Integer()),
  /** The connector continues until it is stopped. */
  endless: Type.Optional(Type.Boolean({ default: false })),
  failIn: Type.Optional(Type.String()),
  /** The length of the field `pad`. */
  pad: Type.Optional(Type.Integer({ default: 0 })),
});

/** Computes for hours. */
function computeLong(): void {
  /^(a+)+$/.test(`${'a'.repeat(60)}b`);
}

/** Publishes documents `<prefix>0`, `<prefix>1`, … with their number in `n`. */
export class CountConnector extends Connector<typeof countParameters> {
  static override readonly parameters = countParameters;

  override preExecute(): void {
    if (this.params.failIn === 'preExecute') throw new Error('no preExecute today');
    if (this.params.failIn === 'endless-start') computeLong();
  }

  override async execute(publisher: Publisher | undefined): Promise<void> {
    if (publisher === undefined) throw new Error('CountConnector needs a pipeline');
    if (this.params.failIn === 'exit') process.exit(4);
    const { count, failAfter, endless, pad = 0 } = this.params;
    for (let i = 0; (endless || i < count) && !publisher.signal.aborted; i++) {
      if (i === failAfter) throw new Error(`the source broke after ${i} documents`);
      const document = Document.create(`${this.context.docIdPrefix}${i}`);
      document.set('n', i);
      if (pad > 0) document.set('pad', 'x'.repeat(pad));
      await publisher.publish(document);
    }
  }

  override postExecute(): void {
    if (this.params.failIn === 'postExecute') throw new Error('no postExecute today');
  }

  override close(): void {
    if (this.params.failIn === 'close') throw new Error('no close today');
  }
}

const troubleParameters = Type.Object({
  /** The kind of trouble: throw, start (throw in start), endless-start, memory, exit, hang, wait. */
  kind: Type.String(),
  /** Affects only documents whose `n` is a multiple of this. */
  every: Type.Optional(Type.Integer({ default: 1 })),
  /** Affects only the document with this `n`. */
  at: Type.Optional(Type.Integer()),
  millis: Type.Optional(Type.Integer({ default: 1 })),
  /** The number of children, after which the stage creates no more and does not return. */
  count: Type.Optional(Type.Integer()),
  /** The file of the indexer. */
  path: Type.Optional(Type.String()),
  /** A part of the ids of the children. */
  tag: Type.Optional(Type.String({ default: '' })),
});

/** @param count the number of children, after which it creates no more and does not return */
function* endlessChildren(parent: Document, count: number): Generator<Document> {
  for (let i = 0; ; ) if (i < count) yield Document.create(`${parent.id}-${i++}`);
}

/**
 * Creates children of 64 KiB each, 64 MiB in total. The last one contains the number of lines that the indexer had
 * written when the child was created.
 */
function* manyChildren(parent: Document, written: string): Generator<Document> {
  for (let i = 0; i < 1024; i++) {
    const child = Document.create(`${parent.id}-${i}`);
    if (i < 1023) child.set('pad', 'x'.repeat(65_536));
    else child.set('written', readFileSync(written, 'utf8').split('\n').length - 1);
    yield child;
  }
}

/** Causes a problem of the configured kind. */
export class Trouble extends Stage<typeof troubleParameters> {
  static override readonly parameters = troubleParameters;
  override readonly maxInFlight: number = this.params.kind === 'concurrent' ? 8 : 1;

  override start(): void {
    if (this.params.kind === 'start') throw new Error('this stage does not start');
    if (this.params.kind === 'endless-start') computeLong();
  }

  override process(document: Document): Document[] | undefined | Promise<undefined> {
    const n = document.get('n') as number;
    const { kind, every = 1, at, millis = 1, tag = '', count = 10, path = '' } = this.params;
    if (n % every !== 0 || (at !== undefined && n !== at)) return undefined;
    switch (kind) {
      case 'throw':
        throw new Error(`document ${n} is not liked`);
      case 'memory': {
        const hog: unknown[] = [];
        for (;;) hog.push(Array.from({ length: 100_000 }, (_, i) => ({ i })));
      }
      case 'exit':
        process.exit(3);
        break;
      case 'hang':
        // A loop would also never end, but take processor time from other tests.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0);
        return undefined;
      case 'compute': {
        const until = performance.now() + millis;
        while (performance.now() < until);
        return undefined;
      }
      case 'endless':
        return endlessChildren(document, count) as never;
      case 'many':
        return manyChildren(document, path) as never;
      case 'wait':
      case 'concurrent':
        return new Promise((resolve) => setTimeout(resolve, (n * 7919) % (millis + 1), undefined));
      case 'children':
        return [0, 1, 2].map((i) => {
          const child = Document.create(`${document.id}-${tag}${i}`);
          child.set('n', n);
          return child;
        });
      case 'object':
        document.set('odd', { not: 'a value' } as never);
        break;
      case 'corrupt':
        (document.fieldValues as unknown[])[document.fieldNames.indexOf('n')] = {};
        break;
      case 'drop':
        document.drop();
    }
    return undefined;
  }
}

const meetParameters = Type.Object({ threads: Type.Integer() });

/** Blocks its thread until this many threads have a document. They count themselves in memory that they share. */
export class Meet extends Stage<typeof meetParameters> {
  static override readonly parameters = meetParameters;
  #arrived: Int32Array<ArrayBufferLike> = new Int32Array();
  #isFirst = true;

  override start(): void {
    const { shared } = this.context;
    if (!shared.has('arrived')) shared.set('arrived', new Int32Array(new SharedArrayBuffer(4)));
    this.#arrived = shared.get('arrived') as Int32Array;
  }

  override process(document: Document): undefined {
    const arrived = this.#arrived;
    if (this.#isFirst) Atomics.add(arrived, 0, 1);
    this.#isFirst = false;
    Atomics.notify(arrived, 0);
    for (let count = 0; count < this.params.threads; count = Atomics.load(arrived, 0)) {
      if (Atomics.wait(arrived, 0, count, 20_000) === 'timed-out') throw new Error(`${count} threads have a document`);
    }
    document.set('thread', this.context.threadNumber);
  }
}

const refuseParameters = Type.Object({ ids: Type.Array(Type.String()) });

/** Fails on documents with these ids. */
export class Refuse extends Stage<typeof refuseParameters> {
  static override readonly parameters = refuseParameters;

  override process(document: Document): undefined {
    if (this.params.ids.includes(document.id)) throw new Error(`${document.id} is refused`);
  }
}

const kindParameters = Type.Object({ field: Type.String() });

/** Writes to the field `kind` whether a field contains bytes. */
export class KindOf extends Stage<typeof kindParameters> {
  static override readonly parameters = kindParameters;

  override process(document: Document): undefined {
    document.set('kind', document.get(this.params.field) instanceof Uint8Array ? 'bytes' : 'other');
  }
}

const breakingParameters = Type.Object({
  /** The number of documents before the decoder throws. */
  count: Type.Integer(),
  /** The export of this module that has the decoder. */
  decoder: Type.Optional(Type.String({ default: 'BreakingDecoder' })),
  /** The file to write when the published documents are finished. */
  settledFile: Type.Optional(Type.String()),
});

/** Returns documents with the field `n`, and then throws. */
export class BreakingDecoder implements RecordDecoder {
  decode(_bytes: Uint8Array, count: unknown, sink: RecordSink): void {
    for (let n = 0; n < (count as number); n++) {
      const document = Document.create(`${n}`);
      document.set('n', n);
      sink.document(document);
    }
    throw new Error('the records cannot be read any further');
  }
}

/** Publishes a chunk that cannot be decoded completely. */
export class BreakingConnector extends Connector<typeof breakingParameters> {
  static override readonly parameters = breakingParameters;

  override async execute(publisher: Publisher | undefined): Promise<void> {
    const { count, decoder: name = '', settledFile } = this.params;
    const decoder = { url: import.meta.url, name, options: undefined };
    await publisher?.publishChunk({ bytes: new Uint8Array(1), decoder, position: count });
    if (settledFile === undefined) return;
    const settled = await publisher?.settled().then(
      () => 'resolved',
      (error) => `rejected: ${error.message}`,
    );
    writeFileSync(settledFile, `${settled}`);
  }
}

const fileParameters = Type.Object({
  path: Type.String(),
  failConnect: Type.Optional(Type.Boolean({ default: false })),
  /** The part of its start that computes without end: prepare, connect or begin. */
  endless: Type.Optional(Type.String()),
  /** Fails documents whose id ends with this. */
  failIds: Type.Optional(Type.String()),
  /** Throws on every batch from this number on. */
  throwFrom: Type.Optional(Type.Integer()),
  millis: Type.Optional(Type.Integer({ default: 0 })),
  hang: Type.Optional(Type.Boolean({ default: false })),
  stream: Type.Optional(Type.Boolean({ default: false })),
  /** Returns this JSON for every batch. */
  answer: Type.Optional(Type.String()),
});

/** Encodes a document as its id. */
export class IdEncoder implements DocumentEncoder {
  encode(document: Document): string {
    return `${document.id}\n`;
  }
}

/** Writes a line with the ids of each batch. Fails as its parameters say. */
export class BatchFileIndexer extends Indexer<typeof fileParameters> {
  static override readonly parameters = fileParameters;
  static override readonly block = 'batchfile';
  override readonly streaming = this.params.stream === true;
  #batches = 0;

  override encoder(): ModuleReference {
    return { url: import.meta.url, name: 'IdEncoder', options: undefined };
  }

  override async prepare(): Promise<void> {
    if (this.params.endless === 'prepare') computeLong();
  }

  override async begin(): Promise<void> {
    if (this.params.endless === 'begin') computeLong();
  }

  override connect(): void {
    if (this.params.endless === 'connect') computeLong();
    if (this.params.failConnect) throw new Error('no server is listening');
    writeFileSync(this.params.path, '');
  }

  override async send(batch: EncodedBatch): Promise<IndexFailure[]> {
    const { failIds, throwFrom, millis = 0, hang, path, answer } = this.params;
    if (hang) await new Promise(() => undefined);
    if (millis > 0) await new Promise((resolve) => setTimeout(resolve, millis));
    if (throwFrom !== undefined && this.#batches++ >= throwFrom) throw new Error('the destination is gone');
    const ids = Buffer.concat(batch.pieces).toString().trimEnd().split('\n');
    appendFileSync(path, `${ids.join(' ')}\n`);
    if (answer !== undefined) return JSON.parse(answer);
    return batch
      .ids()
      .flatMap((id, index) =>
        failIds !== undefined && id.endsWith(failIds) ? [{ index, message: `${id} is refused` }] : [],
      );
  }
}

const wholeParameters = Type.Object({
  failFinish: Type.Optional(Type.Boolean({ default: false })),
  /** What to do about the failed check of the output. */
  hint: Type.Optional(Type.String()),
});

/** An indexer whose output is complete when `finish` succeeds. */
export class WholeIndexer extends Indexer<typeof wholeParameters> {
  static override readonly parameters = wholeParameters;
  static override readonly block = 'whole';
  override readonly completesAtFinish = true;

  static override needsWholeRun(): string {
    return 'path';
  }

  override encoder(): ModuleReference {
    return { url: import.meta.url, name: 'IdEncoder', options: undefined };
  }

  override async send(): Promise<IndexFailure[]> {
    return [];
  }

  override async finish(): Promise<FinishedOutput> {
    if (this.params.failFinish) throw new Error('the output cannot be completed');
    const { hint } = this.params;
    if (hint === undefined) return { checks: [] };
    return { checks: [{ name: 'size', outcome: 'failed', found: '1', expected: '2', hint }] };
  }
}

const folderParameters = Type.Object({ path: Type.String() });

/** Creates a folder, for example at the path of an output that the run is writing. */
export class MakeFolder extends Stage<typeof folderParameters> {
  static override readonly parameters = folderParameters;

  override process(): void {
    mkdirSync(this.params.path, { recursive: true });
  }
}
