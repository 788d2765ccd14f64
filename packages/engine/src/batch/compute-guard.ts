import { Script } from 'node:vm';

const HOOK = Symbol.for('headrace.compute-guard');

/** Calls what is under the hook: only a script can be given a time limit. */
const script = new Script(`globalThis[Symbol.for('headrace.compute-guard')]()`, { filename: 'compute-guard' });

/**
 * Runs work that does not wait, but not for ever: V8 ends it wherever it is, in the middle of a regular expression or
 * a loop. Nothing of it gets to clean up then, so the caller must know what it was at. About 70 µs a call.
 * @returns false when it was ended because it took longer than `limitMillis`
 */
export function runGuarded(work: () => void, limitMillis: number): boolean {
  const hooks = globalThis as unknown as Record<symbol, unknown>;
  hooks[HOOK] = work;
  try {
    script.runInThisContext({ timeout: Math.ceil(limitMillis) });
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
    throw error;
  } finally {
    delete hooks[HOOK];
  }
}
