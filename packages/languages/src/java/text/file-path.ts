const HOST = /^[A-Za-z0-9][A-Za-z0-9-]*(\.[A-Za-z0-9][A-Za-z0-9-]*)*$|^[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*$/;

/**
 * Normalizes a path: one kind of separator, without `.`, `..`, double separators or a separator at the end. The prefix
 * stays: `/`, `~` and `~user`, a drive (`C:`, `C:\`), a server (`//server/`).
 *
 * @returns undefined if the path is invalid: it leads above its root, or begins with a colon or a malformed server
 */
export function normalizeFilePath(path: string, separator: '/' | '\\'): string | undefined {
  const text = separator === '/' ? path.replaceAll('\\', '/') : path.replaceAll('/', '\\');
  const prefix = prefixOf(text, separator);
  if (prefix === undefined) return undefined;
  const kept: string[] = [];
  for (const segment of text.slice(prefix.length).split(separator)) {
    if (segment === '..') {
      if (kept.pop() === undefined) return undefined;
    } else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  return prefix + kept.join(separator);
}

/**
 * Returns the folder of a normalized path: the text before the last separator. If a path only has a prefix, such as
 * `C:x.txt` or `~/`, its folder is that prefix.
 */
export function folderOf(path: string, separator: '/' | '\\'): string {
  const prefix = prefixOf(path, separator) ?? '';
  const end = path.lastIndexOf(separator);
  if (path === prefix || end < 0) return prefix;
  return end === 0 ? separator : path.slice(0, end);
}

/** Returns the prefix of a path, which `..` cannot leave; undefined if the prefix is invalid. */
function prefixOf(text: string, separator: string): string | undefined {
  if (text === '') return '';
  if (text[0] === '~') {
    const end = text.indexOf(separator);
    return end < 0 ? text + separator : text.slice(0, end + 1);
  }
  if (text[0] === ':') return undefined;
  if (text[1] === ':' && text[0] !== separator) {
    if (!/[A-Za-z]/.test(text[0] as string)) return undefined;
    return text.length === 2 ? '' : text[2] === separator ? text.slice(0, 3) : text.slice(0, 2);
  }
  if (text[0] !== separator) return '';
  if (text[1] !== separator) return separator;
  const end = text.indexOf(separator, 2);
  return end > 2 && HOST.test(text.slice(2, end)) ? text.slice(0, end + 1) : undefined;
}
