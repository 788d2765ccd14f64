import { fromValue, getDurationNanos, type ObjectNode } from '@headrace/hocon';

/**
 * A duration in the notation of the config language (`2h`, `90 seconds`; milliseconds without a unit), in nanoseconds.
 * Undefined if the text is not a duration.
 */
export function parseDuration(text: string): bigint | undefined {
  try {
    return getDurationNanos(fromValue({ duration: text }) as ObjectNode, 'duration');
  } catch {
    return undefined;
  }
}
