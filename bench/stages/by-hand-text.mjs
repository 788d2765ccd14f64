import { writeFileSync } from 'node:fs';
import { pick, prose, random } from './sample-documents.mjs';

const LANGUAGES = {
  en: ['The fishermen came back to the village before sunrise.', 'They had not seen the boat since the storm.'],
  de: ['Die Fischer kehrten vor Sonnenaufgang in das Dorf zurück.', 'Niemand hatte das Boot seit dem Sturm gesehen.'],
  fr: ['Les pêcheurs sont revenus au village avant le lever du soleil.', 'Personne n’avait vu le bateau depuis.'],
  es: ['Los pescadores volvieron al pueblo antes del amanecer.', 'Nadie había visto el barco desde la tormenta.'],
  it: ['I pescatori tornarono al villaggio prima dell’alba.', 'Nessuno aveva visto la barca dopo la tempesta.'],
};

/** Stages that search and change texts. */
export const textWork = {
  ApplyRegex: () => ({
    params: { source: ['body'], dest: ['names'], regex: '\\b([A-Z]\\w+)\\b' },
    byHand(record) {
      const found = [];
      for (const match of record.body.matchAll(/\b([A-Z]\w+)\b/g)) found.push(match[1]);
      if (found.length > 0) record.names = found.length === 1 ? found[0] : found;
    },
  }),

  ChunkText: () => ({
    params: { source: 'body', chunksToMerge: 2 },
    byHand(record) {
      const sentences = record.body.split(/(?<=[.!?])\s+/);
      const chunks = [];
      for (let i = 0; i < sentences.length; i += 2) chunks.push(sentences.slice(i, i + 2).join(' '));
      let offset = 0;
      record.___children = chunks.map((text, i) => {
        const child = {
          id: `${record.id}-${i + 1}`,
          parent_id: record.id,
          chunk_number: i + 1,
          total_chunks: chunks.length,
          offset,
          length: text.length,
          text,
        };
        offset += text.length;
        return child;
      });
    },
  }),

  Concatenate: () => ({
    params: { dest: 'label', formatString: '{author}: {category} ({stock})' },
    byHand(record) {
      record.label = `${record.author}: ${record.category} (${record.stock})`;
    },
  }),

  Contains: () => ({
    params: {
      contains: ['bridge', 'island', 'castle', 'lighthouse'],
      fields: ['title', 'body'],
      output: 'topic',
      value: 'sights',
    },
    byHand(record) {
      const expression = /\b(?:bridge|island|castle|lighthouse)\b/i;
      if (expression.test(record.title) || expression.test(record.body)) record.topic = 'sights';
    },
  }),

  CreateStaticTeaser: () => ({
    params: { source: ['body'], dest: ['teaser'], maxLength: 150 },
    byHand(record) {
      const start = record.body.slice(0, 150);
      record.teaser = start.slice(0, start.search(/[ !,.?][^ !,.?]*$/)).trim();
    },
  }),

  DetectLanguage: async () => {
    const { codes, weights } = await languageWeights();
    return {
      params: { source: ['body'], languageField: 'language', languageConfidenceField: 'confidence' },
      fields: () => ({ body: prose(900, pick(Object.values(LANGUAGES))) }),
      byHand(record) {
        const text = ` ${record.body.replace(/[^\p{L}]+/gu, ' ')} `;
        const scores = new Float64Array(codes.length);
        for (let i = 1; i < text.length; i++) {
          for (let length = 1; length <= 3 && length <= i; length++) {
            for (const { language, weight } of weights.get(text.slice(i - length, i)) ?? []) scores[language] += weight;
          }
        }
        const best = scores.indexOf(Math.max(...scores));
        let sum = 0;
        for (const score of scores) sum += Math.exp((score - scores[best]) / 2);
        record.language = codes[best];
        record.confidence = Math.min(0.99, Math.floor(100 / sum) / 100);
      },
    };
  },

  DictionaryLookup: (directory) => {
    const { names, path } = writeDictionary(directory);
    const dictionary = new Map(names.map((name, i) => [name, `entity-${i}`]));
    return {
      params: { source: ['places'], dest: ['codes'], dictPath: path },
      fields: () => ({ places: [pick(names), 'nowhere', pick(names)] }),
      byHand(record) {
        const codes = [];
        for (const place of record.places) {
          const code = dictionary.get(place);
          if (code !== undefined) codes.push(code);
        }
        if (codes.length > 0) record.codes = codes.length === 1 ? codes[0] : codes;
      },
    };
  },

  ExtractEntities: (directory) => extractEntities(directory),
  ExtractEntitiesFST: (directory) => extractEntities(directory),

  ExtractFirstCharacter: () => ({
    params: { fieldMapping: { author: 'letter' } },
    byHand(record) {
      record.letter = /^\p{L}/u.exec(record.author)?.[0] ?? 'nonalpha';
    },
  }),

  MatchQuery: () => ({
    params: {
      fields: ['title', 'body'],
      queries: [
        {
          harbour: 'body:harbour AND body:mist',
          bridge: 'body:"old stone bridge"',
          prices: 'body:prices (body:coffee OR body:wheat)',
          music: '+body:music -body:orchestra',
          letters: 'body:letter OR body:card',
          city: 'body:"new york" OR body:boston',
        },
      ],
      matchedQueriesField: 'queries',
    },
    byHand(record) {
      const words = record.body.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
      const has = new Set(words);
      const text = ` ${words.join(' ')} `;
      const found = [];
      if (has.has('harbour') && has.has('mist')) found.push('harbour');
      if (text.includes(' old stone bridge ')) found.push('bridge');
      if (has.has('prices') || has.has('coffee') || has.has('wheat')) found.push('prices');
      if (has.has('music') && !has.has('orchestra')) found.push('music');
      if (has.has('letter') || has.has('card')) found.push('letters');
      if (text.includes(' new york ') || has.has('boston')) found.push('city');
      if (found.length > 0) record.queries = found;
    },
  }),

  'NormalizeText lowercase': () => ({
    params: { source: ['title', 'body'], dest: ['title', 'body'], mode: 'lowercase' },
    byHand(record) {
      record.title = record.title.toLowerCase();
      record.body = record.body.toLowerCase();
    },
  }),

  'NormalizeText title_case': () => ({
    params: { source: ['title'], dest: ['title'], mode: 'title_case' },
    byHand(record) {
      record.title = record.title.toLowerCase().replace(/(?<=^|\s)\S/g, (letter) => letter.toUpperCase());
    },
  }),

  ParseDate: () => ({
    params: { source: ['published'], dest: ['instant'], formatStrs: ['yyyy-MM-dd HH:mm:ss'], timeZoneId: 'UTC' },
    byHand(record) {
      const [, year, month, day, hour, minute, second] = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)/.exec(
        record.published,
      );
      record.instant = new Date(Date.UTC(+year, month - 1, +day, +hour, +minute, +second))
        .toISOString()
        .replace('.000Z', 'Z');
    },
  }),

  RemoveDiacritics: () => ({
    params: { source: 'author', destination: 'author_plain' },
    byHand(record) {
      record.author_plain = record.author.normalize('NFKD').replace(/\p{M}/gu, '');
    },
  }),

  ReplacePatterns: () => ({
    params: { source: ['body'], dest: ['body'], regex: ['[,;.!?]', '\\s+'], replacement: ' ' },
    byHand(record) {
      record.body = record.body.replace(/[,;.!?]/g, ' ').replace(/\s+/g, ' ');
    },
  }),

  SplitFieldValues: () => ({
    params: { inputField: 'category', outputField: 'categories', delimiter: ';', trimWhitespace: true },
    byHand(record) {
      record.categories = record.category.split(';').map((piece) => piece.trim());
    },
  }),

  TrimWhitespace: () => ({
    params: { fields: ['title', 'author'] },
    byHand(record) {
      record.title = record.title.trim();
      record.author = record.author.trim();
    },
  }),

  TruncateField: () => ({
    params: { source: 'body', maxSize: 200, destination: 'start' },
    byHand(record) {
      record.start = record.body.slice(0, 200);
    },
  }),
};

/** Returns the languages of each n-gram with their weights: naive Bayes on the profiles of the stage. */
async function languageWeights() {
  const { PROFILES } = await import('../../packages/text-analysis/src/language/profiles.generated.ts');
  const codes = Object.keys(PROFILES);
  const weights = new Map();
  for (const [language, code] of codes.entries()) {
    for (const line of PROFILES[code].split('\n')) {
      const weight = Math.log(1 + 2 ** (-Number.parseInt(line.slice(0, 2), 36) / 8) / 0.00005);
      const length = Number(line.charAt(2));
      for (let at = 3; at < line.length; at += length) {
        const ngram = line.slice(at, at + length);
        if (!weights.has(ngram)) weights.set(ngram, []);
        weights.get(ngram).push({ language, weight });
      }
    }
  }
  return { codes, weights };
}

/** Writes 10,000 names of one to three words, with a code for each. */
function writeDictionary(directory) {
  const syllables = 'ba den for gal han kir lor mun nes pol rath sel tor vin wex zan'.split(' ');
  const word = () => {
    const text = pick(syllables) + pick(syllables) + pick(syllables);
    return text.charAt(0).toUpperCase() + text.slice(1);
  };
  const names = new Set(['New York', 'Boston']);
  while (names.size < 10_000) names.add(Array.from({ length: 1 + random(3) }, word).join(' '));
  const path = `${directory}/places.csv`;
  writeFileSync(path, [...names].map((name, i) => `${name},entity-${i}\n`).join(''));
  return { names: [...names], path };
}

/** Looks up each run of one to three words. */
function extractEntities(directory) {
  const { names, path } = writeDictionary(directory);
  const dictionary = new Map(names.map((name, i) => [name, `entity-${i}`]));
  return {
    params: { dictionaries: [path], source: ['body'], dest: ['places'], ignoreOverlaps: true },
    fields: () => ({ body: `${prose(430)} They came from ${pick(names)} and ${pick(names)}. ${prose(430)}` }),
    byHand(record) {
      const words = record.body.match(/\p{L}+/gu) ?? [];
      const found = [];
      for (let i = 0; i < words.length; i++) {
        for (let length = 3; length > 0; length--) {
          const code = dictionary.get(words.slice(i, i + length).join(' '));
          if (code === undefined) continue;
          found.push(code);
          i += length - 1;
          break;
        }
      }
      if (found.length > 0) record.places = found.length === 1 ? found[0] : found;
    },
  };
}
