import { setTimeout as sleep } from 'node:timers/promises';
import { randomFrom } from '../service/random.ts';
import { again, ChangingShop, type ShopPlaces } from './changing-shop.ts';

/** A service whose store outlives it. */
export interface KillableService {
  readonly url: Promise<string>;
  kill(): Promise<unknown>;
}

interface Rounds {
  readonly places: ShopPlaces;
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
  /** Rebuilds that a kill of the service has ended. */
  killedRebuilds: number;
  /** Rebuilds that failed because a request of a killed service was executed after they began. */
  refusedRebuilds: number;
  /** Incremental runs that succeeded, and those that were cancelled at a random moment. */
  incremental: number;
  cancelled: number;
  /** Changes of incremental runs that rebuilds have repeated. */
  repeated: number;
}

/**
 * Rebuilds an index while products change, incremental runs write the changes, and runs and services are killed at random
 * moments. Throws if the index and the table differ after a rebuild and one more incremental run.
 */
export async function rebuildBeside(given: Rounds): Promise<BesideReport> {
  const { places, launch, products, rounds, seed, everyMillis } = given;
  const report = { rebuilds: rounds, killedRebuilds: 0, refusedRebuilds: 0, incremental: 0, cancelled: 0, repeated: 0 };
  const random = randomFrom(seed);
  const shop = await ChangingShop.open(places, products, seed);
  let service = launch();
  let url = await service.url;
  const post = (path: string, body?: object) => ask(url + path, body ?? {});
  const upload = async (config: string) => (await ask(`${url}/v1/config`, config))['configId'] as string;
  try {
    const rebuild = await upload(shop.rebuildConfig());
    const incremental = await upload(shop.incrementalConfig());
    const start = async (configId: string) => (await post('/v1/run', { configId }))['runId'] as string;
    const endOf = async (runId: string): Promise<Run> => {
      for (;;) {
        const run = (await ask(`${url}/v1/run/${runId}`)) as unknown as Run;
        if (run.done) return run;
        await sleep(20);
      }
    };
    const first = await endOf(await start(rebuild));
    if (first.status !== 'SUCCEEDED') throw new Error(first.runResult?.message);
    for (let round = 0; round < rounds; round++) {
      let isKilling = false;
      const changing = again(() => shop.change(20), 5);
      const running = again(async () => {
        // While the service is killed, requests to it fail.
        if (isKilling) return;
        try {
          const run = await start(incremental);
          if (random.below(4) === 0) {
            await sleep(random.below(200));
            await post(`/v1/run/${run}/cancel`).catch(() => undefined);
          }
          const { status, runResult } = await endOf(run);
          if (status === 'SUCCEEDED') report.incremental++;
          else if (status === 'CANCELLED') report.cancelled++;
          else if (!isKilling && status !== 'INTERRUPTED') throw new Error(runResult?.message ?? status);
        } catch (error) {
          if (!isKilling && !(error instanceof TypeError)) throw error;
        }
      }, everyMillis);
      let kills = random.below(3) === 0 ? 1 : 0;
      for (;;) {
        const run = await start(rebuild);
        if (kills-- > 0) {
          await sleep(random.below(3000));
          isKilling = true;
          await service.kill();
          service = launch();
          url = await service.url;
          isKilling = false;
          report.killedRebuilds++;
          continue;
        }
        const { status, runResult } = await endOf(run);
        const message = runResult?.message ?? '';
        if (status !== 'SUCCEEDED' && message.includes('Check foreignWrites: FAILED') && kills < -1) {
          report.refusedRebuilds++;
          continue;
        }
        if (status !== 'SUCCEEDED') throw new Error(message);
        report.repeated += Number(/(\d+) changes? of other runs/.exec(message)?.[1] ?? 0);
        break;
      }
      await changing.stop();
      await running.stop();
      const last = await endOf(await start(incremental));
      if (last.status !== 'SUCCEEDED') throw new Error(last.runResult?.message);
      const different = await shop.differences();
      if (different.length > 0) {
        throw new Error(`Round ${round}: ${different.length} products differ: ${different.slice(0, 5).join('; ')}`);
      }
    }
    return report;
  } finally {
    await service.kill();
    await shop.close();
  }
}

interface Run {
  readonly done: boolean;
  readonly status: string;
  readonly runResult: { readonly message: string } | null;
}

/** @param body a config as text, or the body of a request; undefined for GET */
async function ask(url: string, body?: object | string): Promise<Record<string, unknown>> {
  const type = typeof body === 'string' ? 'application/hocon' : 'application/json';
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const request = body === undefined ? {} : { method: 'POST', headers: { 'content-type': type }, body: text };
  const response = await fetch(url, request);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}
