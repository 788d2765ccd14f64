import type { Problem } from '@headrace/engine';

/** What came of a test. */
export interface TestResult {
  readonly name: string;
  readonly seconds: number;
  /** Why it failed, in lines for people; undefined: it passed. */
  readonly failure: string | undefined;
}

/** The tests of one config. */
export interface ConfigTests {
  /** The file of the config. */
  readonly config: string;
  readonly results: readonly TestResult[];
  /** Errors of the config, of its tests or of the file with them. Nothing was run then. */
  readonly problems: readonly Problem[];
}

export function failuresOf({ results }: ConfigTests): number {
  return results.filter((result) => result.failure !== undefined).length;
}
