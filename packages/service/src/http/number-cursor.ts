import { Refusal } from '../errors/refusal.ts';

/**
 * The place that a page goes on from, in a listing whose places are numbers.
 * @param start what the listing begins with
 */
export function numberCursor(after: string | undefined, start: 'the newest' | 'the first'): number | undefined {
  if (after === undefined) return undefined;
  if (!/^\d{1,15}$/.test(after)) {
    throw new Refusal('HR_REQUEST_INVALID', `${after} is not the "next" of an earlier page`, {
      hint: `Leave out "after" to begin with ${start}.`,
    });
  }
  return Number(after);
}
