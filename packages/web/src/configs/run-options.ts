/** What a run has in addition to its config. */
export interface RunOptions {
  readonly labels?: Readonly<Record<string, string>>;
  readonly overrides?: Readonly<Record<string, unknown>>;
}

/**
 * Returns the options that a user entered.
 * @param labels such as `team:search env:live`
 * @param overrides one `path = value` per line; a value that is not JSON is a text
 */
export function runOptions(labels: string, overrides: string): RunOptions | { readonly problem: string } {
  const values: Record<string, unknown> = {};
  for (const [i, line] of overrides.split('\n').entries()) {
    if (line.trim() === '') continue;
    const at = line.indexOf('=');
    const path = line.slice(0, at).trim();
    if (at < 0 || path === '') return { problem: `Line ${i + 1} is not of the form path = value` };
    values[path] = parsedValue(line.slice(at + 1).trim());
  }
  const named: Record<string, string> = {};
  for (const label of labels.split(/\s+/).filter((text) => text !== '')) {
    const colon = label.indexOf(':');
    if (colon < 1) return { problem: `The label ${label} is not of the form name:value` };
    named[label.slice(0, colon)] = label.slice(colon + 1);
  }
  return {
    ...(Object.keys(named).length === 0 ? {} : { labels: named }),
    ...(Object.keys(values).length === 0 ? {} : { overrides: values }),
  };
}

function parsedValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
