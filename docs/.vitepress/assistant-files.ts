import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PageGroup } from './pages.ts';

/**
 * Writes files for assistants (llmstxt.org) to the site: `llms.txt` lists all pages, `llms-full.txt` has the text of all
 * pages, and each page also exists as Markdown.
 */
export function writeAssistantFiles(groups: readonly PageGroup[], description: string, outDir: string): void {
  const lists = groups.map(({ text, pages }) => {
    const lines = pages.map(({ path, title, markdown }) => `- [${title}](/${path}): ${firstSentence(markdown)}`);
    return `## ${text}\n\n${lines.join('\n')}\n`;
  });
  writeFileSync(join(outDir, 'llms.txt'), `# Headrace\n\n> ${description}\n\n${lists.join('\n')}`);
  const pages = groups.flatMap((group) => group.pages);
  const texts = pages.map(({ path, markdown }) => `<!-- /${path} -->\n\n${markdown.trimEnd()}\n`);
  writeFileSync(join(outDir, 'llms-full.txt'), texts.join('\n'));
  for (const { path, markdown } of pages) {
    mkdirSync(dirname(join(outDir, path)), { recursive: true });
    writeFileSync(join(outDir, path), markdown);
  }
}

/** Returns the first sentence of the first paragraph, as plain text. */
function firstSentence(markdown: string): string {
  const prose = markdown.replaceAll(/^```[\s\S]*?^```$/gm, '').replace(/^# .*$/m, '');
  const [paragraph = ''] = /^[\p{L}`[].*$/mu.exec(prose) ?? [];
  const text = paragraph.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '');
  return /^.*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text.replace(/:$/, '.');
}
