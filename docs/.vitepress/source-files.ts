import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';

/** The folder of the site that holds the files. */
const FOLDER = '/files/';

/** Files of the repository outside of `docs` that pages link to: the site has a copy of each, as text. */
export class SourceFiles {
  readonly #docs: string;
  readonly #found = new Set<string>();

  constructor(docs: string) {
    this.#docs = docs;
  }

  /** Whether a link leads to such a copy. */
  readonly isLink = (link: string): boolean => link.startsWith(FOLDER);

  /** Makes links that leave `docs` lead to the copies. Throws for a file that does not exist. */
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
        // Or the router of the site would look for a separate page.
        token.attrSet('target', '_self');
      }
    });
  }

  /** Writes the copies into the site. */
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
