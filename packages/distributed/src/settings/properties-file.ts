/**
 * Reads a Java properties file: `name=value`, `name: value` or `name value`, comments with # or !, and lines that
 * continue after a backslash. (Source: the documentation of java.util.Properties.load.)
 */
export function readProperties(text: string): Record<string, string> {
  const properties: Record<string, string> = {};
  let line = '';
  let continues = false;
  for (const natural of text.split(/\r\n|[\r\n]/)) {
    const part = natural.replace(/^[ \t\f]+/, '');
    // A comment is one line: a backslash at its end has no effect.
    if (!continues && /^(?:[#!]|$)/.test(part)) continue;
    // A line that ends with an odd number of backslashes continues.
    continues = /(?<!\\)(?:\\\\)*\\$/.test(part);
    line += continues ? part.slice(0, -1) : part;
    if (continues) continue;
    addProperty(line, properties);
    line = '';
  }
  addProperty(line, properties);
  return properties;
}

function addProperty(line: string, to: Record<string, string>): void {
  const found = /^((?:[^\\=:\s]|\\.)+)[ \t\f]*[=:]?[ \t\f]*(.*)$/.exec(line);
  if (found !== null) to[unescaped(found[1] as string)] = unescaped(found[2] as string);
}

const LETTERS: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f' };

function unescaped(text: string): string {
  return text.replace(/\\(?:u([\da-fA-F]{4})|(.))/g, (_, code: string | undefined, letter: string) =>
    code === undefined ? (LETTERS[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
