import type { RealmHost } from './script-realm.ts';

/** The host of a script that runs on many documents in sequence. */
export interface ScriptHost<Document> extends RealmHost {
  /** The document that the other methods use. Set during a run. */
  document: Document | undefined;
  /** Returns a whole number that keeps its kind as a double, such as `1.0`, in the form that `read` returns. */
  double(value: number): unknown;
  /** Returns the value of a JSON text, which the script may have written: its nesting needs a limit. */
  parse(text: string): unknown;
}
