/**
 * Reads the files of a folder with this plugin and with the parsers of Apache Tika, each on one core, in turns. Prints
 * files and pages a second of processor time (start included), how many files give text, and how much of Tika's text is
 * in ours.
 *
 *     node plugins/text-extraction/bench/beside-tika.mjs FOLDER JARS
 *
 * FOLDER: the folders `test-documents` of github.com/apache/tika. JARS: a folder with the jars of tika-core and
 * tika-parsers-standard-package 3.3.1 and their dependencies, from `mvn dependency:copy-dependencies`. The plugin must be
 * built. Needs a JDK and taskset.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FORMATS = {
  PDF: 'pdf',
  DOCX: 'docx docm',
  'XLSX, XLSM, XLSB': 'xlsx xlsm xlsb',
  'PPTX, PPTM': 'pptx pptm',
  'ODF, flat ODF': 'odt ods odp fodt fods fodp ott',
  RTF: 'rtf',
  EPUB: 'epub',
  HTML: 'html htm xhtml',
  'EML, MBOX, MHTML': 'eml mbox mht mhtml',
  MSG: 'msg',
  DOC: 'doc dot',
  XLS: 'xls xlt',
  PPT: 'ppt pot pps',
  'text, XML, CSV, JSON': 'txt xml csv tsv json',
  'ZIP, TAR, GZIP': 'zip tar tgz gz',
};
const ROUNDS = 2;
const SAMPLE = 100;

const [folder, jars] = process.argv.slice(2);
if (jars === undefined) {
  console.error('Usage: node beside-tika.mjs FOLDER JARS');
  process.exit(2);
}
const here = fileURLToPath(new URL('.', import.meta.url));
const formatOf = new Map(Object.entries(FORMATS).flatMap(([name, all]) => all.split(' ').map((one) => [one, name])));
const work = mkdtempSync(join(tmpdir(), 'beside-tika-'));
try {
  execFileSync('javac', ['-cp', `${jars}/*`, '-d', work, join(here, 'TikaDocuments.java')]);
  const all = copyFiles(() => true, 'all');
  const pdf = copyFiles((name) => /\.pdf$/i.test(name), 'pdf');
  const [ours, theirs] = inTurns(all);
  compare(ours.texts, theirs.texts);
  speed(`${ours.texts.size} files`, ours.texts.size, 'files', ours, theirs);
  const [ourPages, theirPages] = inTurns(pdf);
  const pages = [...theirPages.pages.values()].reduce((sum, count) => sum + count, 0);
  speed(`${pages} pages of ${theirPages.texts.size} PDF files`, pages, 'pages', ourPages, theirPages);
} finally {
  rmSync(work, { recursive: true });
}

/** Copies the files of the formats to a flat folder: names, with the folder that they come from. */
function copyFiles(isWanted, name) {
  const target = join(work, name);
  mkdirSync(target);
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !formatOf.has(extensionOf(entry.name)) || !isWanted(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    cpSync(path, join(target, path.slice(join(folder, '/').length).replaceAll('/', '__')));
  }
  return target;
}

function extensionOf(name) {
  return extname(name).slice(1).toLowerCase();
}

/** Returns the fastest of the rounds of both. */
function inTurns(files) {
  const results = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    results[0].push(readOurs(files));
    results[1].push(readTheirs(files));
  }
  return results.map((rounds) => rounds.sort((a, b) => a.seconds - b.seconds)[0]);
}

function onOneCore(program, args) {
  return execFileSync('taskset', ['-c', '0', program, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

function readOurs(files) {
  const out = join(work, 'ours.jsonl');
  const printed = onOneCore(process.execPath, [join(here, 'tika-documents.mjs'), files, '--jsonl', out]);
  const lines = readFileSync(out, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const seconds = Number(/([\d.]+) s of processor time/.exec(printed)[1]);
  return { seconds, texts: new Map(lines.map(({ name, text }) => [name, text])) };
}

function readTheirs(files) {
  const [list, out] = [join(work, 'list.txt'), join(work, 'theirs.tsv')];
  writeFileSync(
    list,
    readdirSync(files)
      .sort()
      .map((name) => `${join(files, name)}\n`)
      .join(''),
  );
  onOneCore('java', ['-cp', `${work}:${jars}/*`, 'TikaDocuments', list, out]);
  const lines = readFileSync(out, 'utf8').trimEnd().split('\n');
  const seconds = Number(lines.pop()) / 1000;
  const rows = lines.map((line) => line.split('\t')).map(([path, ...rest]) => [path.slice(files.length + 1), ...rest]);
  return {
    seconds,
    texts: new Map(rows.map(([name, , text]) => [name, Buffer.from(text, 'base64').toString()])),
    pages: new Map(rows.map(([name, pages]) => [name, Number(pages)])),
  };
}

function speed(what, count, unit, ours, theirs) {
  const rate = ({ seconds }) => `${seconds.toFixed(1)} s, ${Math.round(count / seconds)} ${unit}/s`;
  console.log(`\n${what}, processor time on one core: here ${rate(ours)}; Tika ${rate(theirs)}`);
}

function compare(ours, theirs) {
  const rows = new Map(Object.keys(FORMATS).map((format) => [format, { files: 0, tika: 0, both: 0, found: [] }]));
  const without = [];
  const inBoth = [];
  for (const [name, text] of theirs) {
    const row = rows.get(formatOf.get(extensionOf(name)));
    row.files++;
    if (text.trim() === '') continue;
    row.tika++;
    const mine = ours.get(name) ?? '';
    if (mine.trim() === '') {
      without.push(name);
      continue;
    }
    row.both++;
    inBoth.push(name);
    row.found.push(shareOf(countWords(text), countWords(mine)));
  }
  console.table(
    Object.fromEntries(
      [...rows].map(([format, { files, tika, both, found }]) => [
        format,
        {
          files,
          'Tika: text': tika,
          'here: text': both,
          'words: median': percent(median(found)),
          mean: percent(mean(found)),
        },
      ]),
    ),
  );
  const total = inBoth.length + without.length;
  console.log(
    `${theirs.size} files; Tika finds text in ${total}, of which ${inBoth.length} (${percent(inBoth.length / total)}) give text here`,
  );
  console.log(`without text here:\n  ${without.join('\n  ')}`);
  const sample = inBoth
    .map((name) => [hashOf(name), name])
    .sort(([a], [b]) => a - b)
    .slice(0, SAMPLE);
  const count = (texts) => sample.map(([, name]) => countOf(texts.get(name).replace(/\s/gu, '')));
  const [mine, other] = [count(ours), count(theirs)];
  const ofTika = other.map((characters, i) => shareOf(characters, mine[i]));
  const ofOurs = mine.map((characters, i) => shareOf(characters, other[i]));
  const most = ofTika.filter((share) => share >= 0.95).length;
  console.log(
    `characters in a sample of ${sample.length}: in ${most} files at least 95 % of Tika's; median ${percent(median(ofTika))}, mean ${percent(mean(ofTika))}; of ours, Tika has ${percent(mean(ofOurs))}`,
  );
}

function countWords(text) {
  return countOf(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

function countOf(parts) {
  const counts = new Map();
  for (const part of parts) counts.set(part, (counts.get(part) ?? 0) + 1);
  return counts;
}

/** Returns the part of the first that is in the second. */
function shareOf(wanted, given) {
  let [all, found] = [0, 0];
  for (const [part, count] of wanted) {
    all += count;
    found += Math.min(count, given.get(part) ?? 0);
  }
  return all === 0 ? 1 : found / all;
}

/** An order that is the same in each run, and has nothing to do with the names. */
function hashOf(text) {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

function mean(values) {
  return values.reduce((sum, one) => sum + one, 0) / Math.max(1, values.length);
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function percent(share) {
  return `${Math.round(share * 100)} %`;
}
