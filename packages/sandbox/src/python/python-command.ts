import type { Mount } from '../boundary/index.ts';

/** The command that starts Python. */
export interface PythonCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** What it sees and how much memory it may use in a boundary of the operating system. Undefined without one. */
  readonly confined: { readonly mounts: readonly Mount[]; readonly maxBytes: number } | undefined;
}
