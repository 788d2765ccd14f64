import type { Block } from './blocks.ts';

/** Returns blocks as Markdown with tables. Pages become comments: `<!-- page 2 -->`. */
export function writeMarkdown(blocks: readonly Block[]): string {
  let text = '';
  let before: Block['kind'] | undefined;
  for (const block of blocks) {
    // The items of a list have no empty line between them.
    const gap = before === undefined ? '' : before === 'item' && block.kind === 'item' ? '\n' : '\n\n';
    text += gap + markdownOf(block);
    before = block.kind;
  }
  return text === '' ? '' : `${text}\n`;
}

function markdownOf(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(Math.min(6, Math.max(1, block.level)))} ${oneLine(block.text)}`;
    case 'item':
      return `${'  '.repeat(block.depth)}${block.ordered ? '1.' : '-'} ${escaped(oneLine(block.text))}`;
    case 'table':
      return table(block.rows);
    case 'page':
      return block.name === undefined ? `<!-- page ${block.number} -->` : `## ${oneLine(block.name)}`;
    case 'lines': {
      if (block.code !== true) return block.text.trim();
      const fence = '`'.repeat(Math.max(3, ...Array.from(block.text.matchAll(/`+/g), ([run]) => run.length + 1)));
      return `${fence}\n${block.text.replace(/\n+$/, '')}\n${fence}`;
    }
    case 'paragraph':
    case 'name':
      return escaped(block.text.trim());
  }
}

/** Returns a table whose first row is the header. Rows with fewer cells are completed. */
function table(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(...rows.map((row) => row.length));
  const lines = rows.map((row) => {
    const cells = Array.from({ length: columns }, (_, i) => oneLine(row[i] ?? '').replaceAll('|', '\\|'));
    return `| ${cells.join(' | ')} |`;
  });
  return [lines[0], `|${' --- |'.repeat(columns)}`, ...lines.slice(1)].join('\n');
}

/** Escapes the start of a line that Markdown would read as a heading, a list or a quote. */
function escaped(text: string): string {
  return text.replace(/^(\s*)([#>+-]|\d+[.)])(?=\s)/gm, '$1\\$2');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
