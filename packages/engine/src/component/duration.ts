import { fromValue, getDurationNanos, type ObjectNode } from '@headrace/hocon';

/**
 * Parses a duration in HOCON notation, such as `2h` or `90 seconds`; the default unit is milliseconds. Returns
 * nanoseconds, or undefined if the text is not a duration.
 */
export function parseDuration(text: string): bigint | undefined {
  try {
    return getDurationNanos(fromValue({ duration: text }) as ObjectNode, 'duration');
  } catch {
    return undefined;
  }
}
