import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryLedger, type MemoryLimits, memoryLimits } from './memory-ledger.ts';
import { holdMemory, memoryOf, threadMemory, workForRun } from './thread-memory.ts';

// These tests collect garbage many times, which takes long in the large heap of the unit tests. So they run in a
// separate process.

const MIB = 2 ** 20;
const ledger = MemoryLedger.ofProcess();
let before: MemoryLimits;

/** Puts the documents of a call into order: only the first one can leave. */
function documents(count: number) {
  const all = Array.from({ length: count }, (_, i) => ({ id: String(i) }));
  for (const document of all.slice(1)) threadMemory.putLater(document);
  return all as [{ id: string }, { id: string }, ...{ id: string }[]];
}

/** Returns whether a promise is settled, after the others had their turn. */
async function isSettled(promise: Promise<void> | undefined): Promise<boolean> {
  let settled = promise === undefined;
  promise?.then(
    () => {
      settled = true;
    },
    () => {
      settled = true;
    },
  );
  await new Promise(setImmediate);
  return settled;
}

describe('the memory of a thread', () => {
  beforeEach(() => {
    // Other tests of this process may have left documents.
    threadMemory.releaseDocuments();
    before = ledger.limits;
    // 16 MiB without the reserve, of which 12 are for this run and 6 for this thread; 16 for one document.
    ledger.setLimits(memoryLimits(32));
  });
  afterEach(() => {
    threadMemory.releaseDocuments();
    workForRun({ stopped: () => false, mayBlock: false });
    ledger.setLimits(before);
    expect(ledger.taken).toBe(0);
  });

  it.each([['12'], [-1], [Number.NaN], [undefined]])('refuses %o as a number of bytes', (bytes) => {
    const hold = memoryOf({ id: '0' });
    for (const call of ['take', 'takeNow', 'takeIfFree'] as const) {
      expect(() => hold[call](bytes as never), call).toThrow(
        expect.objectContaining({ code: 'HR_COMPONENT_CONTRACT' }),
      );
    }
    expect(hold.bytes).toBe(0);
  });

  it('does not count small values', () => {
    const [first] = documents(2);
    expect(memoryOf(first).take(60 * 1024)).toBeUndefined();
    expect(ledger.taken).toBe(0);
    expect(memoryOf(first).take(60 * 1024)).toBeUndefined();
    expect(ledger.taken).toBe(360);
  });

  it('counts a value of a document three times', () => {
    const [first] = documents(2);
    memoryOf(first).take(MIB);
    expect(ledger.taken).toBe(3 * 1024);
    memoryOf(first).keep(0);
    expect(ledger.taken).toBe(0);
  });

  it('lets documents wait until earlier ones have left', async () => {
    const [first, second] = documents(2);
    expect(memoryOf(first).take(1.5 * MIB)).toBeUndefined();
    const waiting = memoryOf(second).take(1.5 * MIB);
    expect(await isSettled(waiting)).toBe(false);
    expect(threadMemory.isScarce).toBe(true);
    threadMemory.leave(first);
    threadMemory.releaseLeft();
    await waiting;
    expect(threadMemory.isScarce).toBe(false);
  });

  it('lets the first document use the reserve if later documents hold the rest', async () => {
    const [first, second] = documents(2);
    expect(memoryOf(second).take(1.9 * MIB)).toBeUndefined();
    expect(memoryOf(first).take(5 * MIB)).toBeUndefined();
    const waiting = memoryOf(second).take(MIB);
    expect(await isSettled(waiting)).toBe(false);
    threadMemory.leave(first);
    threadMemory.releaseLeft();
    threadMemory.putFirst(second);
    await waiting;
    expect(ledger.takeReserve(999)).toBe(false);
    threadMemory.releaseDocuments();
    expect(ledger.takeReserve(999)).toBe(true);
    ledger.giveReserve(999);
  });

  it('refuses a document that needs more than the limit, and names the limit', async () => {
    const [first] = documents(2);
    expect(() => memoryOf(first).take(6 * MIB)).toThrow(
      expect.objectContaining({
        code: 'HR_MEMORY_LIMIT',
        message: 'document 0 needs more than 16 MiB of memory for its values',
        hint: expect.stringContaining('limits.memoryMb'),
      }),
    );
    expect(ledger.taken).toBe(0);
    expect(memoryOf(first).bytes).toBe(0);
  });

  it('ends all waiting when the run stops', async () => {
    let stopped = false;
    workForRun({ stopped: () => stopped, mayBlock: false });
    const [first, second] = documents(2);
    memoryOf(first).take(1.9 * MIB);
    const waiting = memoryOf(second).take(MIB) as Promise<void>;
    stopped = true;
    await expect(waiting).rejects.toMatchObject({ code: 'HR_RUN_CANCELLED' });
  });

  it('refuses memory to code that cannot wait, if its thread may not block', () => {
    const hold = holdMemory('the archive a.zip');
    hold.takeNow(5 * MIB);
    expect(() => hold.takeNow(5 * MIB)).toThrow('the archive a.zip needs 5 MiB, and other documents use the memory');
    hold.release();
  });

  it('frees a document that has failed', () => {
    const [first] = documents(2);
    memoryOf(first).take(MIB);
    threadMemory.drop(first);
    expect(ledger.taken).toBe(0);
  });
});
