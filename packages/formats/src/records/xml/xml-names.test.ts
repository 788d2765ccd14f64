import { expect, it } from 'vitest';
import { XmlNames } from './xml-names.ts';

/** More than the names that are kept. */
const NAMES = 30_000;

it('forgets names of a file whose names all differ, although its root element stays open', () => {
  const names = new XmlNames();
  const follow = (text: string) => {
    const bytes = Buffer.from(text);
    return names.follow(bytes, 0, bytes.length);
  };
  const root = follow('root');
  for (let i = 0; i < NAMES; i++) follow(`name${i}`);
  let kept = 0;
  for (let name = root.followers[0]; name !== undefined; name = name.followers[0]) kept++;
  expect(kept).toBeGreaterThan(0);
  expect(kept).toBeLessThanOrEqual(10_000);
});
