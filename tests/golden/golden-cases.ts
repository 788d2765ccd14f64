import { createHash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type JsonObject, readJson, type Value, writeValue } from '@headrace/engine';
import { describe } from 'vitest';

/** The folder of the recorded cases. `HEADRACE_GOLDEN_CASES` names another one with the same file names. */
export const casesFolder = process.env.HEADRACE_GOLDEN_CASES ?? fileURLToPath(new URL('cases/', import.meta.url));

/** The components of the reference with their parameters, as its API lists them. */
export const referenceComponents = new URL('components.json', import.meta.url);

/** A recorded case of a suite. Its text contains placeholders until `openCase` fills them. */
export interface GoldenCase {
  readonly name: string;
  /** Why matching this behaviour of the reference is optional. */
  readonly quirk: string | undefined;
  /** The case as one line of JSON. */
  readonly text: string;
}

/** A case ready to run: placeholders filled, files written. */
export interface OpenCase {
  /** The content in lossless form: `1` and `1.0` differ, and long integers are exact. */
  readonly content: JsonObject;
  /** The directory of the case, which replaces `@DIR@`. */
  readonly folder: string;
}

/** The recorded modification times of all files of a case. */
const MODIFIED = new Date('2024-01-02T03:04:05Z');

/** Defines the tests of a suite of recorded cases. */
export function describeGolden(file: string, define: (cases: readonly GoldenCase[]) => void): void {
  describe(file, () => define(readCases(join(casesFolder, file))));
}

/** Runs a function with a case in a new directory, which is removed afterwards. */
export async function openCase<T>(golden: GoldenCase, use: (open: OpenCase) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(realpathSync(tmpdir()), 'headrace-golden-'));
  try {
    const content = caseContent(golden, folder);
    await writeFiles(content, folder);
    return await use({ content, folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether a case has files, or names their folder. */
export function usesFiles(golden: GoldenCase): boolean {
  return golden.text.includes('@DIR@') || golden.text.includes('"files":');
}

/** Returns the content of a case. Its files are expected in `folder`. */
export function caseContent(golden: GoldenCase, folder: string): JsonObject {
  return readJson(withDigests(golden.text.replaceAll('@DIR@', folder))) as JsonObject;
}

/** Writes the files of a case, or of a step of it, and sets the times at which they were modified. */
export async function writeFiles(content: JsonObject, folder: string): Promise<void> {
  for (const [path, file] of (content.get('files') as JsonObject | undefined) ?? []) {
    const at = join(folder, path);
    await mkdir(dirname(at), { recursive: true });
    await writeFile(at, fileBytes(file));
    await utimes(at, MODIFIED, MODIFIED);
  }
  for (const [path, time] of (content.get('mtimes') as JsonObject | undefined) ?? []) {
    const at = instantOf(time as string);
    await utimes(join(folder, path), at, at);
  }
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Returns the instant of an ISO time, or of a time relative to now, such as `-10m`. */
function instantOf(time: string): Date {
  const relative = /^([+-]\d+)([smhd])$/.exec(time);
  if (relative === null) return new Date(time);
  return new Date(Date.now() + Number(relative[1]) * (UNITS[relative[2] as string] as number) * 1000);
}

/** Replaces `@MD5:text@`, which is a complete JSON text, or the end of one. */
function withDigests(text: string): string {
  return text.replace(/@MD5:((?:[^"\\]|\\.)*)@"/g, (_, json: string) => {
    const digest = createHash('md5').update(JSON.parse(`"${json}"`) as string);
    return `${digest.digest('hex')}"`;
  });
}

/** Returns the bytes of a file of a case, which is a text or `{"base64": …}`. */
export function fileBytes(file: Value): Buffer {
  return file instanceof Map ? Buffer.from(file.get('base64') as string, 'base64') : Buffer.from(file as string);
}

/** Returns JSON text with sorted keys. Two texts are equal if the values are equal and numbers have the same kind. */
export function canonicalJson(value: Value): string {
  return writeValue(sorted(value));
}

function sorted(value: Value): Value {
  if (Array.isArray(value)) return value.map(sorted);
  if (!(value instanceof Map)) return value;
  const entries = [...value].sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(entries.map(([key, member]) => [key, sorted(member)]));
}

function readCases(path: string): GoldenCase[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((text) => {
      const { name, quirk } = JSON.parse(text) as { name: string; quirk?: string };
      return { name, quirk, text };
    });
}
