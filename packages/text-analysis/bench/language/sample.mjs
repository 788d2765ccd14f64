// node packages/text-analysis/bench/language/sample.mjs > sample.json
// Prints texts in many languages, from the translations installed on this machine: { code: [text, …] }.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const LOCALES = '/usr/share/locale';
const PER_LANGUAGE = 200;
const CODES =
  'af ar bg bn cs da de el en es et fa fi fr gu he hi hr hu id it ja kn ko lt lv mk ml mr ne nl no pa pl pt ro ru sk sl so sq sv sw ta te th tl tr uk ur vi zh-cn zh-tw'.split(
    ' ',
  );
const FOLDERS = {
  no: ['nb', 'no'],
  'zh-cn': ['zh_CN'],
  'zh-tw': ['zh_TW'],
  pt: ['pt', 'pt_BR'],
  tl: ['tl', 'fil'],
  en: ['en_GB'],
};
const OTHER_SCRIPT = new Set(
  'ar bg bn el fa gu he hi ja kn ko mk ml mr ne pa ru ta te th uk ur zh-cn zh-tw'.split(' '),
);

/** Yields the messages of a compiled catalog and their translations, if the catalog is in UTF-8. */
function* messages(file) {
  const bytes = readFileSync(file);
  const little = bytes.readUInt32LE(0) === 0x950412de;
  const integer = (at) => (little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const text = (table, i) => {
    const start = integer(table + 8 * i + 4);
    return bytes.toString('utf8', start, start + integer(table + 8 * i));
  };
  for (let i = 0; i < integer(8); i++) {
    const translation = text(integer(16), i);
    const message = text(integer(12), i);
    if (message !== '') yield [message, translation];
    else if (!/charset=utf-?8/i.test(translation)) return;
  }
}

/** Returns a message without plural forms, markup, placeholders, and marks of keys and options. */
function plain(message) {
  return message
    .split('\0')[0]
    .replace(/^.*\x04/, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/%[-#0-9.*$lhzq]*[a-zA-Z%]/g, ' ')
    .replace(/[_&](?=\p{L})/gu, '')
    .replace(/\\./g, ' ')
    .replace(/--?[\w=-]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function isProse(text, code) {
  if (text.length < 50 || text.length > 400) return false;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const latin = text.match(/[A-Za-z]/g)?.length ?? 0;
  return letters >= text.length * 0.5 && !(OTHER_SCRIPT.has(code) && latin > letters * 0.3);
}

const sample = {};
for (const code of CODES) {
  const texts = new Set();
  for (const name of FOLDERS[code] ?? [code]) {
    const folder = join(LOCALES, name, 'LC_MESSAGES');
    if (!existsSync(folder)) continue;
    for (const file of readdirSync(folder)
      .filter((file) => file.endsWith('.mo'))
      .sort()) {
      for (const [message, translation] of messages(join(folder, file))) {
        const text = plain(translation);
        if ((code === 'en' || translation !== message) && isProse(text, code)) texts.add(text);
      }
    }
  }
  const all = [...texts];
  const step = Math.max(1, all.length / PER_LANGUAGE);
  sample[code] = Array.from({ length: Math.min(PER_LANGUAGE, all.length) }, (_, i) => all[Math.floor(i * step)]);
}
console.log(JSON.stringify(sample));
