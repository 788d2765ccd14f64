// After a build: node packages/text-analysis/bench/text-analysis.bench.mjs
import { englishSentences } from '@headrace/text-analysis/chunks';
import { alphabeticUnits, TermTrie, TermTrieBuilder } from '@headrace/text-analysis/dictionary';
import { KeywordMatcher } from '@headrace/text-analysis/keywords';
import { languageModel } from '@headrace/text-analysis/language';
import { removeDiacritics } from '@headrace/text-analysis/letters';
import { analyzeValues, parseQuery, QueryIndex } from '@headrace/text-analysis/lucene-query';
import { rate, report } from '../../../bench/rate.mjs';

const text = 'The fishermen came back to the village before sunrise. No one had seen Dr. Müller’s boat. '.repeat(11);
const words = Array.from({ length: 100_000 }, (_, i) => `term${i.toString(36)} village`);

const builder = new TermTrieBuilder({ letters: alphabeticUnits, fold: (term) => term });
for (const word of words) builder.add(word, undefined, word);
const trie = new TermTrie(builder.finish(), alphabeticUnits);
report(
  'find 100,000 terms in 1,000 characters',
  rate(() => trie.find(text)),
  'texts/s',
);
const keywords = new KeywordMatcher(words.slice(0, 100), true);
report(
  'find 100 keywords in 1,000 characters',
  rate(() => keywords.containsWord(text)),
  'texts/s',
);

const queries = Array.from({ length: 1000 }, (_, i) => parseQuery(`body:"sunrise ${i}" OR village${i}~1`, 'body'));
const index = new QueryIndex(queries.slice(0, 100));
const terms = new Map([['body', analyzeValues([text])]]);
report(
  'analyze 1,000 characters',
  rate(() => analyzeValues([text])),
  'texts/s',
);
report(
  'match 100 queries',
  rate(() => index.matching(terms)),
  'documents/s',
);
report(
  'parse a query',
  rate(() => parseQuery('title:"blue boat"~2 AND -body:[a TO c]', 'body')),
  'queries/s',
);
const model = languageModel();
report(
  'detect the language of 1,000 characters',
  rate(() => model.detect(text)),
  'texts/s',
);
report(
  'English sentences of 1,000 characters',
  rate(() => englishSentences(text)),
  'texts/s',
);
report(
  'remove diacritics from 1,000 characters',
  rate(() => removeDiacritics(text)),
  'texts/s',
);
