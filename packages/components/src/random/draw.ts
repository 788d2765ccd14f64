import type { ParameterProblem } from '@headrace/engine';

/** Returns a random integer of `count` consecutive integers from `start`, each equally likely. */
export function drawInteger(start: number, count: number): number {
  return start + Math.floor(Math.random() * count);
}

/** Reports a range that contains no value to draw. `start` is part of the range, `end` is not. */
export function* checkRange(
  parameter: string,
  start: number | string,
  end: number | string,
  what: string,
): Generator<ParameterProblem> {
  if (start < end) return;
  yield {
    parameter,
    message: `The range from ${start} to ${end} contains no ${what}`,
    hint: `The end is not part of the range, so ${parameter} must be greater than the start.`,
  };
}

/**
 * Reports problems of a random count: a minimum without a maximum, a maximum without a minimum, or a minimum above the
 * maximum.
 */
export function* checkCounts(
  params: Readonly<Record<string, unknown>>,
  minName: string,
  maxName: string,
): Generator<ParameterProblem> {
  const min = params[minName] as number | undefined;
  const max = params[maxName] as number | undefined;
  if ((min === undefined) !== (max === undefined)) {
    const [given, lacking] = min === undefined ? [maxName, minName] : [minName, maxName];
    yield { parameter: given, message: `${given} is given without ${lacking}`, hint: 'Set both or neither.' };
  } else if ((min as number) > (max as number)) {
    yield { parameter: minName, message: `${minName} is ${min}, which is more than ${maxName}, ${max}` };
  }
}

/**
 * Returns some of the items in random order. The same seed selects the same items, so all threads of a run make the
 * same selection. (Fisher-Yates shuffle, stopped early, with numbers of mulberry32 by Tommy Ettinger, public domain.)
 */
export function sample<T>(items: readonly T[], size: number, seed: number): T[] {
  const shuffled = [...items];
  let state = seed;
  for (let i = 0; i < size; i++) {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    const fraction = ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
    const other = i + Math.floor(fraction * (shuffled.length - i));
    const item = shuffled[i] as T;
    shuffled[i] = shuffled[other] as T;
    shuffled[other] = item;
  }
  return shuffled.slice(0, size);
}
