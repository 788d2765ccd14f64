import type { ParameterProblem } from '@headrace/engine';

/** A random integer from `start`, one of `count` that follow each other, each equally likely. */
export function drawInteger(start: number, count: number): number {
  return start + Math.floor(Math.random() * count);
}

/** The mistake of a range, from `start` up to but not including `end`, that holds nothing to draw. */
export function* checkRange(
  parameter: string,
  start: number | string,
  end: number | string,
  what: string,
): Generator<ParameterProblem> {
  if (start < end) return;
  yield {
    parameter,
    message: `The range from ${start} to ${end} holds no ${what}`,
    hint: `The end itself is not part of the range, so ${parameter} must be greater than the start.`,
  };
}

/** Mistakes of a random count, whose least and most go together: one without the other, or the wrong way round. */
export function* checkCounts(
  params: Readonly<Record<string, unknown>>,
  minName: string,
  maxName: string,
): Generator<ParameterProblem> {
  const min = params[minName] as number | undefined;
  const max = params[maxName] as number | undefined;
  if ((min === undefined) !== (max === undefined)) {
    const [given, lacking] = min === undefined ? [maxName, minName] : [minName, maxName];
    yield { parameter: given, message: `${given} is given without ${lacking}`, hint: 'Give both or neither.' };
  } else if ((min as number) > (max as number)) {
    yield { parameter: minName, message: `${minName} is ${min}, which is more than ${maxName}, ${max}` };
  }
}

/**
 * Some of the items, in random order, the same ones for the same seed: the threads of a run, which each draw for
 * themselves, come to one choice. (A shuffle by Fisher and Yates, ended early; numbers by mulberry32 of Tommy Ettinger,
 * public domain.)
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
