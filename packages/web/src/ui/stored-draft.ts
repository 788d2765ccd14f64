/** A config that another page opens in the editor, with documents for its preview. */
export interface StoredDraft {
  readonly text: string;
  readonly documents: readonly unknown[];
}

let stored: StoredDraft | undefined;

/** Keeps a draft for the next page. */
export function storeDraft(draft: StoredDraft): void {
  stored = draft;
}

/** Returns the stored draft and removes it. */
export function takeDraft(): StoredDraft | undefined {
  const draft = stored;
  stored = undefined;
  return draft;
}
