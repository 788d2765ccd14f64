import { readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkText } from '../tree/arguments.ts';
import type { IncludedText, IncludeRequest } from './include.ts';
import { formatOf } from './include.ts';
import type { ParseResult } from './parse.ts';
import { parse } from './parse.ts';
import { checkOptions, type ParseOptions } from './parse-options.ts';

/**
 * Parses a file as JSON, properties or HOCON, depending on its extension. Includes are relative to the file. Includes
 * with `file(...)` are relative to the working directory. There is no network access and no class path. An unreadable
 * file is reported as a problem.
 * @throws ArgumentError for a path that is not a string, and for unknown options or options of the wrong type
 */
export function parseFile(path: string, options: ParseOptions = {}): ParseResult {
  checkText(path, 'the path');
  checkOptions(options);
  const file = options.file ?? path;
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return unreadable(file, error);
  }
  const format = options.format ?? formatOf(path) ?? 'hocon';
  return parse(text, { include: loadFile, ...options, file, format });
}

function unreadable(file: string, error: unknown): ParseResult {
  const origin = { file, line: 1, column: 1 };
  const reason = error instanceof Error ? error.message : String(error);
  return {
    value: Object.create(null),
    root: { kind: 'object', entries: new Map(), keys: new Map(), origin },
    problems: [
      {
        code: 'file-unreadable',
        kind: 'IO',
        message: `the config file cannot be read: ${reason}`,
        ...origin,
        hint: 'check the path, and that the process has permission to read the file',
      },
    ],
  };
}

/** The error codes for paths that cannot be a file. As in the reference, such a path is treated as not found. */
const NOWHERE = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE']);

/**
 * Finds included files on the disk. A missing file, or a path that is not a file, is treated as not found, as in the
 * reference.
 */
export function loadFile({ form, name, from }: IncludeRequest): IncludedText | undefined {
  const path = pathOf(form, name, from);
  if (path === undefined || !isFile(path)) return undefined;
  return { file: path, text: readFileSync(path, 'utf8') };
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch (error) {
    if (NOWHERE.has(String((error as NodeJS.ErrnoException).code))) return false;
    throw error;
  }
}

function pathOf(form: IncludeRequest['form'], name: string, from: string | undefined): string | undefined {
  if (form === 'classpath') return undefined;
  if (form === 'file') return resolve(name);
  if (/^ *(?:https?|ftp|jar):/i.test(name)) throw new Error('addresses are not read, only files');
  if (/^ *file:/i.test(name)) return fileURLToPath(new URL(name));
  if (form === 'url') throw new Error('this is not the address of a file');
  if (isAbsolute(name)) return name;
  return from === undefined ? undefined : join(dirname(from), name);
}
