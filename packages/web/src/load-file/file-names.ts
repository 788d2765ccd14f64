/** The longest name that the service accepts. */
const MAX_LENGTH = 128;

/** Returns a name that the service accepts for an uploaded file: letters without accents, nothing that a path needs. */
export function storedName(name: string): string {
  const { stem, extension } = partsOf(name);
  const plain = stem
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\w. ()+-]+/g, '-')
    .replace(/^\W+/, '')
    .replace(/[. ]+$/, '');
  return `${plain.slice(0, MAX_LENGTH - extension.length) || 'file'}${extension}`;
}

/** Returns the name with a number that no other file has: `products (2).csv`. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  const { stem, extension } = partsOf(name);
  for (let number = 2; ; number++) {
    const end = ` (${number})${extension}`;
    const free = stem.slice(0, MAX_LENGTH - end.length) + end;
    if (!taken.has(free)) return free;
  }
}

function partsOf(name: string): { stem: string; extension: string } {
  const [, stem = name, extension = ''] = /^(.*?)(\.\w{1,10})?$/.exec(name) ?? [];
  return { stem, extension };
}
