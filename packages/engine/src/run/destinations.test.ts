import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { RebuildPass } from '../component/destination.ts';
import { DestinationLink } from './destination-link.ts';
import { Destinations } from './destinations.ts';

const folder = mkdtempSync(join(tmpdir(), 'headrace-destinations-'));
afterAll(() => rmSync(folder, { recursive: true }));

const OUTPUT = { place: 'cluster 1', name: 'products' };
const NO_SIGNAL = new AbortController().signal;

/** Delivers a message to the other thread. Messages of one direction keep their order. */
type Deliver = (queue: (() => void)[]) => void;

/** Runs in their threads, connected to the destinations of their process. */
class Threads {
  readonly destinations = new Destinations(folder);
  readonly waits: string[] = [];
  readonly #deliver: Deliver;

  constructor(deliver: Deliver) {
    this.#deliver = deliver;
  }

  start(run: string, signal = NO_SIGNAL): { readonly link: DestinationLink; kill(): void } {
    const [toRun, toProcess]: (() => void)[][] = [[], []];
    let isAlive = true;
    const send = (queue: (() => void)[] | undefined, message: () => void) => {
      queue?.push(message);
      this.#deliver(queue ?? []);
    };
    const process = this.destinations.connect(run, (message) => send(toRun, () => isAlive && link.receive(message)));
    const link = new DestinationLink({
      signal,
      post: (message) => isAlive && send(toProcess, () => process.receive(message)),
      onWait: (message) => this.waits.push(message),
    });
    const kill = () => {
      isAlive = false;
      process.end();
    };
    return { link, kill };
  }
}

const immediately: Deliver = (queue) => queueMicrotask(() => queue.shift()?.());

/** Resolves when all messages were delivered. */
async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  await settled();
  const pending = Symbol();
  return (await Promise.race([promise, Promise.resolve(pending)])) === pending;
}

/** Opens the journal of a rebuild. */
function open(rebuild: RebuildPass): Promise<void> {
  const journal = { path: rebuild.path, live: ['products-1'] };
  return rebuild.exclusively(async () => ({ journal, result: undefined }));
}

describe('the runs of a destination', () => {
  let threads: Threads;

  beforeEach(() => {
    threads = new Threads(immediately);
  });

  it('record what they change while a rebuild is open, and wait while it moves its alias', async () => {
    const writer = await threads.start('w').link.write(OUTPUT, undefined);
    expect(await writer.enter(5, NO_SIGNAL)).toEqual([]);
    const rebuild = await threads.start('r').link.rebuild(OUTPUT.place, ['products', 'products-1']);
    const opening = open(rebuild);
    // A request is in flight.
    expect(await isPending(opening)).toBe(true);
    const next = writer.enter(1, NO_SIGNAL);
    expect(await isPending(next)).toBe(true);
    writer.leave(5, 2);
    await opening;
    expect(await next).toEqual([{ path: rebuild.path, live: ['products-1'] }]);
    writer.leave(1, 0);
    const late = await threads.start('late').link.write({ ...OUTPUT, name: undefined }, undefined);
    expect(await late.enter(1, NO_SIGNAL)).toHaveLength(1);
    late.leave(1, 0);
    const unknown = await rebuild.exclusively(async (others) => ({ journal: undefined, result: others.unknown }));
    expect(unknown).toBe(2);
    expect(await writer.enter(1, NO_SIGNAL)).toEqual([]);
  });

  it('exclude a rebuild if their changes cannot be recorded, in the order in which they came', async () => {
    const alone = await threads.start('w').link.write(OUTPUT, 'it deletes by a query');
    const rebuilding = threads.start('r').link.rebuild(OUTPUT.place, ['products']);
    const second = threads.start('w2').link.write(OUTPUT, 'it deletes by a query');
    expect([await isPending(rebuilding), await isPending(second)]).toEqual([true, true]);
    expect(threads.waits).toEqual([
      'The rebuild of products waits for the run w, which writes to it, because it deletes by a query',
      'The run waits for the rebuild of products by the run r, because it deletes by a query',
    ]);
    const other = await threads.start('other').link.write({ ...OUTPUT, name: 'orders' }, 'it deletes by a query');
    other.close();
    alone.close();
    const rebuild = await rebuilding;
    expect(await isPending(second)).toBe(true);
    rebuild.close();
    await second;
  });

  it('no longer wait if they are stopped', async () => {
    await threads.start('w').link.write(OUTPUT, 'it deletes by a query');
    const stop = new AbortController();
    const rebuilding = threads.start('r', stop.signal).link.rebuild(OUTPUT.place, ['products']);
    await settled();
    stop.abort();
    await expect(rebuilding).rejects.toThrow('stopped while it waited');
    // It would wait for the rebuild.
    await threads.start('w2').link.write(OUTPUT, 'it deletes by a query');
  });

  it('give back what they have if their thread is killed', async () => {
    const killed = threads.start('w');
    await (await killed.link.write(OUTPUT, undefined)).enter(7, NO_SIGNAL);
    const other = await threads.start('other').link.write(OUTPUT, undefined);
    const rebuildThread = threads.start('r');
    const rebuild = await rebuildThread.link.rebuild(OUTPUT.place, ['products']);
    const opening = open(rebuild);
    expect(await isPending(opening)).toBe(true);
    killed.kill();
    await opening;
    writeFileSync(rebuild.path, 'changes');
    const inside = Promise.withResolvers<number>();
    void rebuild.exclusively(async ({ unknown }) => {
      inside.resolve(unknown);
      return new Promise(() => undefined);
    });
    expect(await inside.promise).toBe(7);
    const waiting = other.enter(1, NO_SIGNAL);
    expect(await isPending(waiting)).toBe(true);
    rebuildThread.kill();
    expect(await waiting).toEqual([]);
    expect(existsSync(rebuild.path)).toBe(false);
  });

  it('tell the rebuild that they could not record a change', async () => {
    const writer = await threads.start('w').link.write(OUTPUT, undefined);
    const rebuild = await threads.start('r').link.rebuild(OUTPUT.place, ['products']);
    await open(rebuild);
    const [journal] = await writer.enter(1, NO_SIGNAL);
    writer.broken(journal as NonNullable<typeof journal>, 'the disk is full');
    writer.leave(1, 0);
    const broken = await rebuild.exclusively(async (others) => ({ journal: undefined, result: others.broken }));
    expect(broken).toBe('changes of the run w could not be recorded: the disk is full');
  });

  it('cancel a move that a killed rebuild has left, before they write', async () => {
    const cancelled: string[] = [];
    const cancel = async (index: string) => void cancelled.push(index);
    const before = await threads.start('w').link.write(OUTPUT, undefined, cancel);
    const rebuildThread = threads.start('r');
    const rebuild = await rebuildThread.link.rebuild(OUTPUT.place, ['products']);
    const moving = Promise.withResolvers<void>();
    void rebuild.exclusively(async () => {
      await rebuild.moving('products-2');
      moving.resolve();
      return new Promise(() => undefined);
    });
    await moving.promise;
    const waiting = before.enter(1, NO_SIGNAL);
    expect([await isPending(waiting), cancelled]).toEqual([true, []]);
    rebuildThread.kill();
    await waiting;
    expect(cancelled).toEqual(['products-2']);
    await settled();
    await threads.start('later').link.write(OUTPUT, undefined, cancel);
    expect(cancelled).toEqual(['products-2']);
  });

  it('cancel a move that a killed process has left, until one of them has done it', async () => {
    const rebuild = await threads.start('r').link.rebuild(OUTPUT.place, ['products']);
    const moving = Promise.withResolvers<void>();
    void rebuild.exclusively(async () => {
      await rebuild.moving('products-2');
      moving.resolve();
      return new Promise(() => undefined);
    });
    await moving.promise;
    const restarted = new Threads(immediately);
    const fails = async () => {
      throw new Error('the server is gone');
    };
    const refused = restarted.start('w').link.write(OUTPUT, undefined, fails);
    await expect(refused).rejects.toThrow('the server is gone');
    const cancelled: string[] = [];
    const cancel = async (index: string) => void cancelled.push(index);
    await restarted.start('w2').link.write({ ...OUTPUT, place: 'cluster 2' }, undefined, cancel);
    expect(cancelled).toEqual([]);
    await restarted.start('w3').link.write(OUTPUT, 'it deletes by a query', cancel);
    await settled();
    await new Threads(immediately).start('w4').link.write(OUTPUT, undefined, cancel);
    expect(cancelled).toEqual(['products-2']);
  });

  it('cancel nothing when the outcome of the move is known', async () => {
    const cancel = () => Promise.reject(new Error('nothing is left'));
    const writer = await threads.start('w').link.write(OUTPUT, undefined, cancel);
    const rebuild = await threads.start('r').link.rebuild(OUTPUT.place, ['products']);
    await rebuild.exclusively(async () => {
      await rebuild.moving('products-2');
      rebuild.moved();
      return { journal: undefined, result: undefined };
    });
    rebuild.close();
    await writer.enter(1, NO_SIGNAL);
    await new Threads(immediately).start('w2').link.write(OUTPUT, undefined, cancel);
  });

  it('never have a request in flight while a rebuild has the place, in any order of the messages', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.nat({ max: 3 }), { minLength: 3, maxLength: 12 }),
        async (s, kinds) => {
          const scheduled = new Threads((queue) => void s.schedule(Promise.resolve()).then(() => queue.shift()?.()));
          let inFlight = 0;
          let exclusive = 0;
          const write = async (run: string) => {
            const { link, kill } = scheduled.start(run);
            const pass = await link.write(OUTPUT, undefined);
            for (let i = 0; i < 3; i++) {
              await pass.enter(1, NO_SIGNAL);
              expect(exclusive).toBe(0);
              inFlight++;
              await s.schedule(Promise.resolve());
              inFlight--;
              pass.leave(1, 0);
            }
            if (run.endsWith('2')) kill();
            else pass.close();
          };
          const rebuild = async (run: string) => {
            const { link, kill } = scheduled.start(run);
            const pass = await link.rebuild(OUTPUT.place, ['products']);
            for (let i = 0; i < 2; i++) {
              await pass.exclusively(async () => {
                expect([inFlight, exclusive++]).toEqual([0, 0]);
                await s.schedule(Promise.resolve());
                exclusive--;
                return { journal: i === 0 ? { path: pass.path, live: ['products-1'] } : undefined, result: undefined };
              });
            }
            if (run.endsWith('2')) kill();
            else pass.close();
          };
          const runs = kinds.map((kind, i) => (kind === 0 ? rebuild(`r${i}`) : write(`w${i}`)));
          await s.waitFor(Promise.all(runs));
          expect([inFlight, exclusive]).toEqual([0, 0]);
        },
      ),
    );
  });
});
