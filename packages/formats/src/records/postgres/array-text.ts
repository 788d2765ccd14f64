/** A value of an array, or a list of them if the array has more dimensions. */
export type Item<T> = T | null | Item<T>[];

/**
 * Reads the text of an array as a list: `{1,2,NULL}`, `{{"a b","c\"d"},{e,f}}`. Bounds before the array (`[2:3]={…}`)
 * are ignored, because a list has no bounds.
 */
export function readArray<T>(text: string, element: (text: string) => T): Item<T>[] {
  const lists: Item<T>[][] = [];
  let i = text.indexOf('{');
  let last: Item<T>[] = [];
  while (i < text.length) {
    const c = text[i];
    if (c === '{') {
      const list: Item<T>[] = [];
      lists.at(-1)?.push(list);
      lists.push(list);
      i++;
    } else if (c === '}') {
      last = lists.pop() ?? last;
      i++;
    } else if (c === ',') i++;
    else if (c === '"') {
      let value = '';
      for (i++; i < text.length && text[i] !== '"'; i++) {
        if (text[i] === '\\') i++;
        value += text[i];
      }
      i++;
      lists.at(-1)?.push(element(value));
    } else {
      let end = i;
      while (end < text.length && text[end] !== ',' && text[end] !== '}') end++;
      const value = text.slice(i, end);
      lists.at(-1)?.push(value === 'NULL' ? null : element(value));
      i = end;
    }
  }
  return last;
}
