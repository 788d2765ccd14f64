import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { PlainValue, Problem } from './index.ts';
import { Float, parse, parseFile } from './index.ts';

const cases =
  process.env.HEADRACE_GOLDEN_CASES ?? fileURLToPath(new URL('../../../tests/golden/cases/', import.meta.url));
const golden = join(cases, 'hocon.jsonl');

interface Expected {
  value?: unknown;
  floats?: string[];
  error?: { kind: string; line?: number; file?: string };
}

interface Case {
  name: string;
  main: string;
  files?: Record<string, string>;
  env?: Record<string, string>;
  resolve: boolean;
  expect: Expected;
  quirk?: string;
  limit?: boolean;
}

/** Cases in which the reference has an accidental result, and this package deliberately differs. */
const better = new Set(['quoted/signed-hex', 'quoted/negative-hex']);

function readCases(): Case[] {
  const lines = readFileSync(golden, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line)).filter((entry) => entry.table === undefined);
}

/** Converts a value to the format of the recordings. */
function recorded(value: PlainValue): unknown {
  if (typeof value === 'bigint') return { $long: String(value) };
  if (value instanceof Float) return Number.isFinite(value.value) ? value.value : { $double: String(value.value) };
  if (Array.isArray(value)) return value.map(recorded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, recorded(child)]));
}

function floatPaths(value: PlainValue, path: string[]): string[] {
  if (value instanceof Float) return [path.join('.')];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => floatPaths(child, [...path, key]));
}

function inDirectory<Result>(test: Case, run: (main: string) => Result): Result {
  const directory = mkdtempSync(join(tmpdir(), 'hocon-'));
  try {
    for (const [name, text] of [...Object.entries(test.files ?? {}), ['main.conf', test.main] as const]) {
      mkdirSync(dirname(join(directory, name)), { recursive: true });
      writeFileSync(join(directory, name), text.replaceAll('@DIR@', directory));
    }
    return run(join(directory, 'main.conf'));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function run({ main, files, env = {}, resolve, ...test }: Case): { value: PlainValue; problem: Problem | undefined } {
  if (files === undefined) {
    const { value, problems } = parse(main, { env, resolve });
    return { value, problem: problems[0] };
  }
  return inDirectory({ main, files, resolve, ...test }, (path) => {
    const { value, problems } = parseFile(path, { env, resolve });
    const problem = problems[0];
    return { value, problem: problem && { ...problem, file: relative(dirname(path), problem.file ?? '') } };
  });
}

describe('recorded cases of the reference', () => {
  for (const test of readCases()) {
    it(test.name, () => {
      const { value, problem } = run(test);
      if (test.limit || better.has(test.name)) {
        expect(problem !== undefined || test.limit).toBe(true);
        return;
      }
      const { error } = test.expect;
      if (error === undefined) {
        expect(problem).toBeUndefined();
        expect(recorded(value)).toEqual(test.expect.value);
        expect(floatPaths(value, [])).toEqual(test.expect.floats ?? []);
        return;
      }
      expect(problem).toMatchObject({ kind: error.kind });
      if (error.line !== undefined) expect(problem?.line).toBe(error.line);
      if (error.line !== undefined || error.file !== undefined) {
        expect(problem?.file ?? 'main.conf').toBe(error.file ?? 'main.conf');
      }
    });
  }
});
