import type { Block } from './blocks.ts';

/** Returns blocks as plain text: a line for each paragraph, cells separated by tabs. */
export function writeText(blocks: readonly Block[]): string {
  let text = '';
  for (const block of blocks) text += textOf(block);
  return text;
}

function textOf(block: Block): string {
  switch (block.kind) {
    case 'page':
      return block.name === undefined ? '' : `${block.name}\n`;
    case 'table':
      return `${block.rows.map((row) => `\t${row.map(oneLine).join('\t')}\n`).join('')}\n`;
    case 'lines':
      return block.text.endsWith('\n') ? block.text : `${block.text}\n`;
    default:
      return `${block.text}\n`;
  }
}

function oneLine(cell: string): string {
  return cell.replace(/\s+/g, ' ').trim();
}
