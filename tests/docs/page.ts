import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A fenced code block of a page. */
export interface Block {
  /** The language after the fence, such as `hocon`, `console` or `js`. */
  language: string;
  /** The words after the language: a file name, or `fragment` and a file name. */
  info: readonly string[];
  text: string;
  /** The line number in the page of the first line of text, from 1. */
  line: number;
}

/** A command in a `console` block, with the output that the page shows. */
export interface ShownCommand {
  command: string;
  output: readonly string[];
  line: number;
}

export interface Page {
  name: string;
  /** The absolute path of the file. */
  path: string;
  text: string;
  blocks: readonly Block[];
}

/** Reads the pages of a folder, sorted by name. */
export function readPages(directory: string): Page[] {
  const names = readdirSync(directory).filter((name) => name.endsWith('.md'));
  return names.sort().map((name) => {
    const path = join(directory, name);
    const text = readFileSync(path, 'utf8');
    return { name, path, text, blocks: blocksOf(text) };
  });
}

function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let open: { language: string; info: string[]; line: number; lines: string[] } | undefined;
  for (const [i, line] of text.split('\n').entries()) {
    const fence = /^```(.*)$/.exec(line);
    if (fence === null) open?.lines.push(line);
    else if (open === undefined) {
      const [language = '', ...info] = (fence[1] as string).split(' ');
      open = { language, info, line: i + 2, lines: [] };
    } else {
      const { lines, ...block } = open;
      blocks.push({ ...block, text: `${lines.join('\n')}\n` });
      open = undefined;
    }
  }
  return blocks;
}

/** Returns the file name that the page gives a block, or undefined. */
export function fileOf({ info }: Block): string | undefined {
  return info.find((word) => word.includes('.'));
}

/** Returns whether a block is a complete config. */
export function isWholeConfig({ language, info }: Block): boolean {
  return language === 'hocon' && !info.includes('fragment');
}

/** Returns the commands of a `console` block: lines that begin with `$ `, each with the output lines after it. */
export function commandsOf({ text, line }: Block): ShownCommand[] {
  const commands: { command: string; output: string[]; line: number }[] = [];
  for (const [i, row] of text.trimEnd().split('\n').entries()) {
    const last = commands.at(-1);
    if (row.startsWith('$ ')) commands.push({ command: row.slice(2), output: [], line: line + i });
    else if (last?.output.length === 0 && last.command.endsWith('\\')) last.command += `\n${row}`;
    else last?.output.push(row);
  }
  return commands;
}

/** Returns the shown lines that the output lacks, in this order. An ellipsis matches any text. */
export function missingLines(shown: readonly string[], said: string): string[] {
  const lines = said.split('\n').map((line) => line.trimEnd());
  const missing: string[] = [];
  let from = 0;
  for (const line of shown) {
    if (line.replaceAll(/…|\s/g, '') === '') continue;
    const pattern = new RegExp(`^${line.trimEnd().split('…').map(literal).join('.*')}$`, 'u');
    const at = lines.findIndex((candidate, i) => i >= from && pattern.test(candidate));
    if (at < 0) missing.push(line);
    else from = at + 1;
  }
  return missing;
}

/** Returns a pattern that matches exactly this text. */
function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
