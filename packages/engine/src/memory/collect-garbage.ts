import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/**
 * Collects the garbage of this thread. V8 sees how large its own objects are, but reacts late to the memory outside its
 * heap that they own, such as the pieces of an answer.
 */
export function collectGarbage(): void {
  collect ??= collector();
  collect();
}

function collector(): () => void {
  // The function is only visible to a context that is created while the flag is set. With a changed flag, V8 would
  // reject compiled code from its caches.
  setFlagsFromString('--expose-gc');
  const found = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  return found;
}
