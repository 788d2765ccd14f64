// node packages/text-analysis/bench/language/make-profiles.mjs FOLDER
// Writes packages/text-analysis/src/language/profiles.generated.ts from the folder of the npm package langdetect
// (0.2.1, Apache-2.0), which contains the profiles of Nakatani Shuyo's language-detection as JSON.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2];
if (folder === undefined)
  throw new Error('The folder of the package langdetect is missing. Usage: make-profiles.mjs FOLDER');

const profiles = {};
for (const file of readdirSync(join(folder, 'profiles')).sort()) {
  const { freq, n_words } = JSON.parse(readFileSync(join(folder, 'profiles', file), 'utf8'));
  const levels = new Map();
  for (const [ngram, count] of Object.entries(freq)) {
    if (ngram.length > 3) continue;
    // The probability among the n-grams of the same length. Eight levels are a factor of two.
    const level = Math.round(-Math.log2(count / n_words[ngram.length - 1]) * 8);
    const key = `${level.toString(36).padStart(2, '0')}${ngram.length}`;
    levels.set(key, (levels.get(key) ?? '') + ngram);
  }
  profiles[file.replace('.json', '')] = [...levels.keys()]
    .sort()
    .map((key) => key + levels.get(key))
    .join('\n');
}
const ideographs = Object.values(JSON.parse(readFileSync(join(folder, 'res/cjk.json'), 'utf8'))).join('\n');

writeFileSync(
  new URL('../../src/language/profiles.generated.ts', import.meta.url),
  `// Written by packages/text-analysis/bench/language/make-profiles.mjs. The data are those of language-detection by Nakatani Shuyo, Cybozu Labs,
// copyright 2010-2014, Apache License 2.0: how often n-grams occur in the articles of Wikipedia in a language.

/**
 * By language, a line for each level and length: two digits in base 36, the negative logarithm to the base 2 of the
 * probability in eighths; the length; the n-grams in sequence.
 */
export const PROFILES: Readonly<Record<string, string>> = ${JSON.stringify(profiles, null, 2)};

/** Ideographs that count as the first of their line, because they occur together. */
export const IDEOGRAPHS: string = ${JSON.stringify(ideographs)};
`,
);
