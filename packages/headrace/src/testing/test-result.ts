import type { Problem } from '@headrace/engine';

/** The result of a test. */
export interface TestResult {
  readonly name: string;
  readonly seconds: number;
  /** Why the test failed, as lines for people. Undefined if it passed. */
  readonly failure: readonly string[] | undefined;
}

/** The test results of one config. */
export interface ConfigTests {
  /** The file of the config. */
  readonly config: string;
  readonly results: readonly TestResult[];
  /** Errors of the config, its tests or its test file. If there are any, no test was run. */
  readonly problems: readonly Problem[];
}

export function failuresOf({ results }: ConfigTests): number {
  return results.filter((result) => result.failure !== undefined).length;
}
