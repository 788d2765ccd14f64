import { double, widenFloat } from 'headrace/engine';
import { filled } from './filled-array.ts';
import { UNIT_OF_HIGH } from './halves.ts';
import type { Numbers } from './stored-values.ts';

// Each function converts the values of a block in its own loop. A loop that called one of several functions for each
// value would not be optimized for any of them, and would make an object of each double.

/** Returns integers of 32 bits. */
export function int32Block(numbers: Numbers, from: number, count: number): number[] {
  const values = filled(0, count);
  for (let i = 0; i < count; i++) values[i] = numbers[from + i] as number;
  return values;
}

/** Returns doubles as the values of fields. */
export function doubleBlock(numbers: Numbers, from: number, count: number): ReturnType<typeof double>[] {
  const values = filled<ReturnType<typeof double>>(0.5, count);
  for (let i = 0; i < count; i++) {
    const number = numbers[from + i] as number;
    values[i] = Number.isSafeInteger(number) ? double(number) : number;
  }
  return values;
}

/** Returns floats as the values of fields. */
export function floatBlock(numbers: Numbers, from: number, count: number): ReturnType<typeof double>[] {
  const values = filled<ReturnType<typeof double>>(0.5, count);
  for (let i = 0; i < count; i++) values[i] = double(widenFloat(numbers[from + i] as number));
  return values;
}

/** Returns integers of 64 bits by their halves: numbers if they are exact, otherwise bigints. */
export function integerBlock(halves: Int32Array, from: number, count: number): (number | bigint)[] {
  const values = filled<number | bigint>(0, count);
  for (let i = 0, at = 2 * from; i < count; i++, at += 2) {
    const high = halves[at + 1] as number;
    const low = (halves[at] as number) >>> 0;
    const number = high * UNIT_OF_HIGH + low;
    values[i] = Number.isSafeInteger(number) ? number : (BigInt(high) << 32n) | BigInt(low);
  }
  return values;
}

/** Like `integerBlock`, for integers without a sign. */
export function unsignedBlock(halves: Int32Array, from: number, count: number): (number | bigint)[] {
  const values = filled<number | bigint>(0, count);
  for (let i = 0, at = 2 * from; i < count; i++, at += 2) {
    const high = (halves[at + 1] as number) >>> 0;
    const low = (halves[at] as number) >>> 0;
    const number = high * UNIT_OF_HIGH + low;
    values[i] = Number.isSafeInteger(number) ? number : (BigInt(high) << 32n) | BigInt(low);
  }
  return values;
}

/** Returns the halves of integers of 32 bits, the lower one first. */
export function halvesOf(numbers: Numbers, from: number, count: number): Int32Array {
  const halves = new Int32Array(2 * count);
  for (let i = 0; i < count; i++) {
    const number = numbers[from + i] as number;
    halves[2 * i] = number;
    halves[2 * i + 1] = number >> 31;
  }
  return halves;
}
