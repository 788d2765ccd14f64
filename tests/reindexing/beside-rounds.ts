import { setTimeout as sleep } from 'node:timers/promises';
import { randomFrom } from '../service/random.ts';
import { again, ChangingShop, type ShopPlaces } from './changing-shop.ts';
import { type KillableService, RestartedService } from './restarted-service.ts';

interface Rounds {
  readonly places: ShopPlaces;
  /** Starts a service. Its store outlives it. */
  readonly launch: () => KillableService;
  readonly products: number;
  readonly rounds: number;
  readonly seed: number;
  /** How often an incremental run starts, in milliseconds. */
  readonly everyMillis: number;
}

/** What happened in all rounds. */
export interface BesideReport {
  readonly rebuilds: number;
  /** How often the process of the service was killed with SIGKILL, at a random moment. */
  kills: number;
  /** Rebuilds and incremental runs that a kill has ended. */
  killedRebuilds: number;
  killedIncremental: number;
  /** Rebuilds that were refused because a request of a killed service was executed after they began. */
  refusedRebuilds: number;
  /** Incremental runs that succeeded, and those that were cancelled at a random moment. */
  incremental: number;
  cancelled: number;
  /** Changes of incremental runs that rebuilds have repeated. */
  repeated: number;
}

/**
 * Rebuilds an index while products change and incremental runs write the changes. In each round, the service is killed up to
 * twice, during the rebuild, an incremental run or neither. Throws if the index and the table differ after a rebuild and
 * one more incremental run.
 */
export async function rebuildBeside(given: Rounds): Promise<BesideReport> {
  const { places, launch, products, rounds, seed, everyMillis } = given;
  const report: BesideReport = {
    rebuilds: rounds,
    kills: 0,
    killedRebuilds: 0,
    killedIncremental: 0,
    refusedRebuilds: 0,
    incremental: 0,
    cancelled: 0,
    repeated: 0,
  };
  const [cancels, kills] = [randomFrom(seed), randomFrom(seed + 1)];
  const shop = await ChangingShop.open(places, products, seed);
  const service = new RestartedService(launch);
  try {
    const rebuild = await service.upload(shop.rebuildConfig());
    const incremental = await service.upload(shop.incrementalConfig());
    /** How long the last complete rebuild took. */
    let rebuildMillis = 0;

    const write = async () => {
      const runId = await service.start(incremental);
      if (cancels.below(4) === 0) {
        await sleep(cancels.below(200));
        await service.cancel(runId);
      }
      const run = await service.endOf(runId);
      if (run.status === 'CANCELLED') report.cancelled++;
      else if (run.status === 'INTERRUPTED') report.killedIncremental++;
      else {
        requireSuccess(run);
        report.incremental++;
      }
    };
    const rebuildOnce = async () => {
      for (let refused = 0; ; ) {
        const began = performance.now();
        const run = await service.run(rebuild);
        if (run.status === 'INTERRUPTED') {
          report.killedRebuilds++;
          continue;
        }
        const message = run.runResult?.message ?? '';
        // At most once for each kill of this process.
        if (message.includes('Check foreignWrites: FAILED') && refused++ < report.kills) {
          report.refusedRebuilds++;
          continue;
        }
        requireSuccess(run);
        rebuildMillis = performance.now() - began;
        report.repeated += Number(/(\d+) changes? of other runs/.exec(message)?.[1] ?? 0);
        return;
      }
    };
    const killSometimes = async () => {
      for (let left = kills.below(3); left > 0; left--) {
        await sleep(kills.below(1.2 * rebuildMillis));
        await service.kill();
        report.kills++;
      }
    };

    await rebuildOnce();
    for (let round = 0; round < rounds; round++) {
      const changing = again(() => shop.change(20), 5);
      const writing = again(write, everyMillis);
      await Promise.all([rebuildOnce(), killSometimes()]);
      await changing.stop();
      await writing.stop();
      requireSuccess(await service.run(incremental));
      report.incremental++;
      const different = await shop.differences();
      if (different.length > 0) {
        throw new Error(`Round ${round}: ${different.length} products differ: ${different.slice(0, 5).join('; ')}`);
      }
    }
    return report;
  } finally {
    await service.end();
    await shop.close();
  }
}

function requireSuccess({ status, runResult }: Awaited<ReturnType<RestartedService['run']>>): void {
  if (status !== 'SUCCEEDED') throw new Error(`${status}: ${runResult?.message}`);
}
