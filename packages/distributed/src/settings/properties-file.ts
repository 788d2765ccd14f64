/**
 * Reads a Java properties file: `name=value`, `name: value` or `name value`, comments with # or !, and lines that
 * continue after a backslash. (Source: the documentation of java.util.Properties.load.)
 */
export function readProperties(text: string): Record<string, string> {
  const properties: Record<string, string> = {};
  // A line that ends with an odd number of backslashes continues.
  const lines = text.replace(/(?<!\\)((?:\\\\)*)\\\r?\n[ \t\f]*/g, '$1').split(/\r\n|[\r\n]/);
  for (const line of lines) {
    const found = /^[ \t\f]*((?:[^\\=:\s]|\\.)+)[ \t\f]*[=:]?[ \t\f]*(.*)$/.exec(line);
    if (found === null || /^[ \t\f]*[#!]/.test(line)) continue;
    properties[unescaped(found[1] as string)] = unescaped(found[2] as string);
  }
  return properties;
}

const LETTERS: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f' };

function unescaped(text: string): string {
  return text.replace(/\\(?:u([\da-fA-F]{4})|(.))/g, (_, code: string | undefined, letter: string) =>
    code === undefined ? (LETTERS[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
