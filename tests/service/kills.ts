import { KillLedger } from './kill-ledger.ts';
import { type Random, randomFrom } from './random.ts';

/** A service that was just started, maybe not answering yet. */
export interface Victim {
  /** Resolves when it answers. */
  readonly url: Promise<string>;
  /** SIGKILL. Resolves when the process is gone. */
  kill(): Promise<unknown>;
}

export interface KillReport {
  kills: number;
  /** What was acknowledged in all, and found again. */
  uploads: number;
  versions: number;
  deletions: number;
  runs: number;
  /** Runs that a client saw end before the kill. */
  ends: number;
  interrupted: number;
  /** Requests with a key that were without an answer when the service died. */
  unanswered: number;
}

const CLIENTS = 8;
/** Operations that are acknowledged before a kill, at most. */
const MAX_OPERATIONS = 60;
/** After the last of them it may live on for so long. */
const MAX_DELAY_MILLIS = 30;
/** One service of so many is killed while it starts. */
const KILLED_AT_START = 10;
const MAX_START_MILLIS = 500;

/** The limits must be high for this: nothing may be forgotten. */
export const KILL_SETTINGS = 'limits: { maxConfigs: 1000000, maxRuns: 1000000, maxQueuedRuns: 100000 }\n';

/**
 * Kills a service again and again under load, and looks after each kill whether all that it had acknowledged is there.
 * Throws if something is not. What the clients do is drawn from the seed; when it reaches the service is not.
 * @param launch starts it, on the same store each time
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

/** No service survives the test. */
async function withVictim(launch: () => Victim, work: (victim: Victim) => Promise<void>): Promise<void> {
  const victim = launch();
  try {
    await work(victim);
  } finally {
    await victim.kill();
  }
}

/** Clients at work on a service, until it is killed. */
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

/** Whether a request was answered; an answer that should not be is thrown. */
async function survived(work: Promise<void>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    // fetch throws a TypeError when the connection breaks.
    if (error instanceof TypeError) return false;
    throw error;
  }
}

function moment(millis: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, millis));
}
