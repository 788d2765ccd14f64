import { readFileSync } from 'node:fs';
import type { ParseOptions, ParseResult } from './parse.ts';
import { parse } from './parse.ts';

/** Parses a file. */
export function parseFile(path: string, options: ParseOptions = {}): ParseResult {
  return parse(readFileSync(path, 'utf8'), { file: path, ...options });
}
