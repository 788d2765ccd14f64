/** The maximum length of the reason of a failure in an event. Brokers refuse messages of more than about a megabyte. */
const MAX_CHARACTERS = 5000;

/** Shortens the reason of a failure, so that a broker accepts the event with it. */
export function shortReason(reason: string): string {
  return reason.length <= MAX_CHARACTERS ? reason : `${reason.slice(0, MAX_CHARACTERS)}…`;
}
