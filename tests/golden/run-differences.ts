/** Recorded runs that we decide otherwise, and why. Each is in docs/differences.md. */
export const runDifferences: Readonly<Record<string, string>> = {};
