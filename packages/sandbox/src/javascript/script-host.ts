import type { RealmHost } from './script-realm.ts';

/** The host of a script that runs on one document after another. */
export interface ScriptHost<Document> extends RealmHost {
  /** What the other methods are about. Set for the time of a run. */
  document: Document | undefined;
  /** A whole number that keeps its kind as a double, such as `1.0`, in the form that `read` gives it. */
  double(value: number): unknown;
}
