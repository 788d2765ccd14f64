import { KillLedger } from './kill-ledger.ts';
import { type Random, randomFrom } from './random.ts';

/** A service that was just started and may not answer yet. */
export interface Victim {
  /** Resolves when the service answers. */
  readonly url: Promise<string>;
  /** Sends SIGKILL. Resolves when the process is gone. */
  kill(): Promise<unknown>;
}

export interface KillReport {
  kills: number;
  /** The number of acknowledged uploads, all found again. */
  uploads: number;
  versions: number;
  deletions: number;
  runs: number;
  /** The number of runs that a client saw end before the kill. */
  ends: number;
  interrupted: number;
  /** The number of requests with a key that had no response when the service was killed. */
  unanswered: number;
}

const CLIENTS = 8;
/** The maximum number of acknowledged operations before a kill. */
const MAX_OPERATIONS = 60;
/** The maximum delay between the last operation and the kill. */
const MAX_DELAY_MILLIS = 30;
/** One in this many services is killed while it starts. */
const KILLED_AT_START = 10;
const MAX_START_MILLIS = 500;

/** High limits, because the service may delete nothing during the test. */
export const KILL_SETTINGS = 'limits: { maxConfigs: 1000000, maxRuns: 1000000, maxQueuedRuns: 100000 }\n';

/**
 * Kills a service repeatedly under load. Checks after each kill that the service still has everything that it
 * acknowledged, and throws if not. The seed decides what the clients send, but not when it reaches the service.
 * @param launch starts the service, on the same store each time
 */
export async function killRepeatedly(launch: () => Victim, kills: number, seed: number): Promise<KillReport> {
  const random = randomFrom(seed);
  const ledger = new KillLedger();
  for (let kill = 0; kill < kills; kill++) {
    await withVictim(launch, async (victim) => {
      if (random.below(KILLED_AT_START) === 0) {
        victim.url.catch(() => undefined);
        await moment(random.below(MAX_START_MILLIS));
        return;
      }
      const url = await victim.url;
      await ledger.verify(url, random);
      await oneLife(url, ledger, random, victim);
    });
  }
  await withVictim(launch, async ({ url }) => ledger.verifyAll(await url));
  return { kills, ...ledger.report() };
}

/** Makes sure that no service is left after the test. */
async function withVictim(launch: () => Victim, work: (victim: Victim) => Promise<void>): Promise<void> {
  const victim = launch();
  try {
    await work(victim);
  } finally {
    await victim.kill();
  }
}

/** Runs clients on a service until it is killed. */
async function oneLife(url: string, ledger: KillLedger, random: Random, victim: Victim): Promise<void> {
  await ledger.prepare(url);
  const last = ledger.operations + 1 + random.below(MAX_OPERATIONS);
  let killed: Promise<unknown> | undefined;
  const seeds = Array.from({ length: CLIENTS }, () => random.below(2 ** 31));
  await Promise.all(
    seeds.map(async (seed, client) => {
      const own = randomFrom(seed);
      while (await survived(ledger.operate(url, client, own))) {
        if (ledger.operations >= last) killed ??= moment(random.below(MAX_DELAY_MILLIS)).then(() => victim.kill());
      }
    }),
  );
  await killed;
}

/** Returns whether a request was answered. Throws if the response is wrong. */
async function survived(work: Promise<void>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    // fetch throws a TypeError if the connection breaks.
    if (error instanceof TypeError) return false;
    throw error;
  }
}

function moment(millis: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, millis));
}
