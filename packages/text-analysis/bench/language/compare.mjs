// node packages/text-analysis/bench/language/compare.mjs SAMPLE [FOLDER]
// Counts the texts of a sample that each detector gets right: DetectLanguage, and the detectors installed in a folder.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { languageModel } from '@headrace/text-analysis/language';

const [sampleFile, folder] = process.argv.slice(2);
if (sampleFile === undefined) throw new Error('The sample is missing. Usage: compare.mjs SAMPLE [FOLDER]');
const sample = Object.entries(JSON.parse(readFileSync(sampleFile, 'utf8'))).filter(([, texts]) => texts.length >= 50);
const MANY = 3;

const ISO_639_3 =
  'afr:af arb:ar ara:ar bul:bg ben:bn ces:cs dan:da deu:de ell:el eng:en spa:es ekk:et est:et pes:fa fas:fa prs:fa fin:fi fra:fr guj:gu heb:he hin:hi hrv:hr hun:hu ind:id ita:it jpn:ja kan:kn kor:ko lit:lt lvs:lv lav:lv mkd:mk mal:ml mar:mr npi:ne nep:ne nld:nl nob:no nno:no nor:no pan:pa pol:pl por:pt ron:ro rus:ru slk:sk slv:sl som:so als:sq sqi:sq swe:sv swh:sw swa:sw tam:ta tel:te tha:th tgl:tl tur:tr ukr:uk urd:ur vie:vi cmn:zh zho:zh';
const codes = new Map(ISO_639_3.split(' ').map((pair) => pair.split(':')));
const SIMPLIFIED =
  /[们这来个为国说时会对后无见问实过门发还进动电关东车长马书开学习么没样认让从头买卖写听觉现点声带变应该给术业务确专选择错误载运输页与边万义乐丢两严丧丽举广]/;

const detectors = {
  DetectLanguage: async () => {
    const model = languageModel();
    return (text) => model.detect(text) ?? {};
  },
  eld: async () => {
    const { eld } = await installed('eld/src/entries/static.large.js');
    return (text) => ({ code: eld.detect(text).language });
  },
  franc: async () => {
    const { franc } = await installed('franc/index.js');
    const only = [...codes.keys()];
    return (text) => ({ code: codes.get(franc(text, { only })) });
  },
  tinyld: async () => {
    const { detect } = await installed('tinyld/heavy');
    const only = [...new Set(codes.values())];
    return (text) => ({ code: detect(text, { only }) });
  },
  lande: async () => {
    const { default: lande } = await installed('lande');
    return (text) => ({ code: codes.get(lande(text).find(([code]) => codes.has(code))?.[0]) });
  },
  'cld3-asm': async () => {
    const { loadModule } = await installed('cld3-asm');
    const identifier = (await loadModule()).create(0, 1000);
    const other = { iw: 'he', fil: 'tl', nb: 'no', nn: 'no' };
    return (text) => {
      const { language, probability } = identifier.findLanguage(text);
      return { code: other[language] ?? language, probability };
    };
  },
};

/** Loads a package of the folder, by the path of a file in it if `require` cannot find it. */
function installed(specifier) {
  const path = specifier.endsWith('.js')
    ? join(folder, 'node_modules', specifier)
    : createRequire(join(folder, 'package.json')).resolve(specifier);
  return import(pathToFileURL(path).href);
}

function isRight(found, code, text) {
  if (found === 'zh') return code === (SIMPLIFIED.test(text) ? 'zh-cn' : 'zh-tw');
  return found === code;
}

const rows = [];
for (const [name, load] of Object.entries(detectors)) {
  if (folder === undefined && name !== 'DetectLanguage') continue;
  const detect = await load();
  const counts = { all: 0, right: 0, sure: 0, sureAndRight: 0 };
  const weak = [];
  let seconds = Number.POSITIVE_INFINITY;
  for (let round = 0; round < MANY; round++) {
    const start = performance.now();
    for (const [, texts] of sample) for (const text of texts) detect(text);
    seconds = Math.min(seconds, (performance.now() - start) / 1000);
  }
  for (const [code, texts] of sample) {
    let right = 0;
    for (const text of texts) {
      const found = detect(text);
      const sure = found?.probability >= 0.95;
      if (sure) counts.sure++;
      if (!isRight(found?.code, code, text)) continue;
      right++;
      if (sure) counts.sureAndRight++;
    }
    counts.all += texts.length;
    counts.right += right;
    if (right < texts.length * 0.9) weak.push(`${code} ${Math.round((100 * right) / texts.length)}`);
  }
  const percent = (part, whole) => (whole === 0 ? '' : ((100 * part) / whole).toFixed(2));
  rows.push({
    detector: name,
    'right, %': percent(counts.right, counts.all),
    'sure, %': counts.sure === 0 ? '' : percent(counts.sure, counts.all),
    'of these right, %': percent(counts.sureAndRight, counts.sure),
    'texts/s': Math.round(counts.all / seconds),
    'below 90 %': weak.join(', '),
  });
}
console.table(rows);
