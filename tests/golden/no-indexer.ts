import { Indexer, type IndexFailure, Type } from '@headrace/engine';

/** Stands in for an indexer where a test needs a whole config but indexes nothing. */
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
