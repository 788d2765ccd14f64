import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readText, repositoryFiles, root } from './repository.ts';

const pages = repositoryFiles().filter((path) => path.endsWith('.md'));

it.each(pages)('%s contains only links to existing targets', (page) => {
  const broken = Array.from(textOf(page).matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target).filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [path = '', anchor] = target.split('#');
    const linked = path === '' ? page : join(page, '..', path);
    if (!existsSync(join(root, linked))) return true;
    return anchor !== undefined && linked.endsWith('.md') && !anchorsOf(linked).includes(anchor);
  });
  expect(broken).toEqual([]);
});

/** Returns the anchors of the headings of a page, as GitHub creates them. */
function anchorsOf(page: string): string[] {
  return Array.from(textOf(page).matchAll(/^#+ (.*)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Returns a page without its code blocks. */
function textOf(page: string): string {
  return readText(page).replace(/^ *```[\s\S]*?^ *```/gm, '');
}
