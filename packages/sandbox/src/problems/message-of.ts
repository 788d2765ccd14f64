/** The maximum depth of a chain of causes, because a chain may be a circle. */
const MAX_CAUSES = 8;

/** Returns the message of any thrown value, with its causes: `cannot open the file <- ENOENT: …`. */
export function messageOf(error: unknown): string {
  const messages = [ownMessage(error)];
  let cause = causeOf(error);
  for (let i = 0; cause !== undefined && i < MAX_CAUSES; i++) {
    const message = ownMessage(cause);
    // Many messages already quote their cause.
    if (!messages.at(-1)?.includes(message)) messages.push(message);
    cause = causeOf(cause);
  }
  return messages.join(' <- ');
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? (error.cause ?? undefined) : undefined;
}

function ownMessage(error: unknown): string {
  if (error instanceof Error) return error.message || error.name;
  try {
    // Errors of another realm are not instances of this realm's Error.
    const { message } = Object(error) as { message?: unknown };
    return typeof message === 'string' && message !== '' ? message : String(error);
  } catch {
    return Object.prototype.toString.call(error);
  }
}
