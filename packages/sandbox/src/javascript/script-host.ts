import type { RealmHost } from './script-realm.ts';

/** The host of a script that runs on one document after another. */
export interface ScriptHost<Document> extends RealmHost {
  /** The document of the other methods. Set during a run. */
  document: Document | undefined;
  /** Returns a whole number that keeps its kind as a double, such as `1.0`, in the form that `read` returns. */
  double(value: number): unknown;
}
