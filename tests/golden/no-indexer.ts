import { Indexer, type IndexFailure, Type } from '@headrace/engine';

/** Replaces an indexer in a test that needs a whole config but indexes nothing. */
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
