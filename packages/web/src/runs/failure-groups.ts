import type { Failure } from '../api/types.ts';

/** Failed documents with the same reason at the same place. */
export interface FailureGroup {
  readonly key: string;
  readonly at: string;
  readonly code: string;
  /** The message of the first document of the group. */
  readonly message: string;
  readonly hint: string | undefined;
  readonly failures: Failure[];
}

/**
 * Returns the failures in groups, the largest first. Messages of one reason differ in the values that they quote, so
 * numbers and quoted texts do not count.
 */
export function groupFailures(failures: readonly Failure[]): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const failure of failures) {
    const { at, code, message, hint } = failure;
    const key = [at, code, reasonOf(message)].join('\n');
    let group = groups.get(key);
    if (group === undefined) {
      group = { key, at, code, message, hint, failures: [] };
      groups.set(key, group);
    }
    group.failures.push(failure);
  }
  return [...groups.values()].sort((a, b) => b.failures.length - a.failures.length);
}

function reasonOf(message: string): string {
  return message.replace(/"[^"]*"|'[^']*'|`[^`]*`|\[[^\]]*\]|\d+/g, '…');
}
