import { join } from 'node:path';
import { rebuildBeside } from '../tests/reindexing/beside-rounds.ts';
import { inDirectory } from './measure.mjs';
import { withServer } from './servers.mjs';
import { launch } from './service.mjs';

/** `BESIDE_PRODUCTS`, `BESIDE_ROUNDS` and `BESIDE_SEED` change these numbers. */
const PRODUCTS = Number(process.env.BESIDE_PRODUCTS ?? 100_000);
const ROUNDS = Number(process.env.BESIDE_ROUNDS ?? 30);
const SEED = Number(process.env.BESIDE_SEED ?? 20_261_128);
const EVERY_MILLIS = 1000;

/**
 * Rebuilds an index of OpenSearch from Postgres while incremental runs write to its alias, cancels runs and kills the service.
 * Throws as soon as the index and the table differ.
 */
export function rebuildBesideJobs() {
  return inDirectory((directory) =>
    withServer('postgres', directory, (postgres) =>
      withServer('opensearch', directory, async (opensearch) => {
        const report = await rebuildBeside({
          places: { postgres: postgres.url, opensearch: opensearch.url, alias: 'products', folder: directory },
          launch: () => launch(join(directory, 'service')),
          products: PRODUCTS,
          rounds: ROUNDS,
          seed: SEED,
          everyMillis: EVERY_MILLIS,
        });
        return Object.entries(report).map(([what, value]) => ({ job: `rebuild beside: ${what}`, value, unit: '' }));
      }),
    ),
  );
}
