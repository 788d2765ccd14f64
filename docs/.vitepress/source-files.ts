import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';

/** The folder of the site for the copied files. */
const FOLDER = '/files/';

/** Files outside `docs` that pages link to. The site has a copy of each file as text. */
export class SourceFiles {
  readonly #docs: string;
  readonly #found = new Set<string>();

  constructor(docs: string) {
    this.#docs = docs;
  }

  /** Returns whether a link leads to a copied file. */
  readonly isLink = (link: string): boolean => link.startsWith(FOLDER);

  /** Changes links outside `docs` to the copies. Throws if a file does not exist. */
  linkIn(markdown: MarkdownRenderer): void {
    markdown.core.ruler.push('source-files', ({ tokens, env }) => {
      for (const token of tokens.flatMap(({ children }) => children ?? [])) {
        const [href = ''] = String(token.attrGet('href') ?? '').split('#');
        if (token.type !== 'link_open' || !href.startsWith('.')) continue;
        const page = String(env.path);
        const path = relative(join(this.#docs, '..'), join(dirname(page), href));
        if (path.startsWith('docs/')) continue;
        if (!statSync(join(this.#docs, '..', path), { throwIfNoEntry: false })?.isFile()) {
          throw new Error(`${page} links to ${href}, which is not a file`);
        }
        this.#found.add(path);
        token.attrSet('href', `${FOLDER}${path}.html`);
        // Otherwise the router of the site would search for a page.
        token.attrSet('target', '_self');
      }
    });
  }

  /** Writes the copied files to the site. */
  write(outDir: string): void {
    for (const path of this.#found) {
      const text = readFileSync(join(this.#docs, '..', path), 'utf8');
      const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
      const target = join(outDir, FOLDER, `${path}.html`);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, `<!doctype html><meta charset="utf-8"><title>${path}</title><pre>${escaped}</pre>\n`);
    }
  }
}
