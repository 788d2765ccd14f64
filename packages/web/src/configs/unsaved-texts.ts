/** A text that was not saved when the session ended. */
interface UnsavedText {
  readonly user: string | null;
  readonly text: string;
  /** The stored text that it was made from, and its entity tag. */
  readonly saved: string;
  readonly etag: string | undefined;
}

const kept = new Map<string, UnsavedText>();

/** Keeps the text of a config until it is opened again. A new config has an empty id. */
export function keepUnsaved(id: string, text: UnsavedText): void {
  kept.set(id, text);
}

/** Returns the kept text of a config, and forgets it. Another user does not get it: it may have secrets. */
export function takeUnsaved(id: string, user: string | null): UnsavedText | undefined {
  const text = kept.get(id);
  kept.delete(id);
  return text?.user === user ? text : undefined;
}
