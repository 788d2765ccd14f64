import { Indexer, type IndexFailure, Type } from '@headrace/engine';

const parameters = Type.Object({});

/** Writes nothing, and reports success for every document: to test and to measure pipelines. */
export class NopIndexer extends Indexer<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly block = undefined;
  static readonly type = 'Nop';
  override readonly streaming = true;

  override encoder(): undefined {
    return undefined;
  }

  override send(): readonly IndexFailure[] {
    return [];
  }
}
