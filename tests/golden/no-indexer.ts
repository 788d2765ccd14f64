import { Indexer, type IndexFailure, Type } from '@headrace/engine';

/** An indexer for tests that need a complete config but index nothing. */
export class NoIndexer extends Indexer {
  static override readonly parameters = Type.Object({});
  static readonly type = 'none';

  override encoder(): undefined {
    return undefined;
  }

  override send(): readonly IndexFailure[] {
    return [];
  }
}
