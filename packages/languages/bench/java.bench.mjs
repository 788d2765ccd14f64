// Compares Java patterns with native ones, and measures dates. After a build: node
// packages/languages/bench/java.bench.mjs
import { compileDateFormat, compileDatePattern, readInstant } from '@headrace/languages/java/date';
import { compileJavaRegex } from '@headrace/languages/java/regex';
import { rate, report } from '../../../bench/rate.mjs';

const text = 'The fishermen came back to the village at 05:40, before sunrise; 12 boats, 3 nets. '.repeat(12);
const java = compileJavaRegex('\\b\\d+\\b');
const native = /\b\d+\b/g;
report(
  'find all numbers in 1,000 characters, Java',
  rate(() => java.findAll(text)),
  'texts/s',
);
report(
  'find all numbers in 1,000 characters, native',
  rate(() => [...text.matchAll(native)]),
  'texts/s',
);
report(
  'compile a pattern with classes',
  rate(() => compileJavaRegex('[\\p{Lower}&&[^aeiou]]+(?<end>\\h*;)?')),
  'patterns/s',
);

const iso = compileDatePattern("yyyy-MM-dd'T'HH:mm:ssXXX");
const named = compileDatePattern('EEE, d MMM yyyy HH:mm z');
const format = compileDateFormat('EEE, d MMM yyyy HH:mm:ss XXX');
const instant = readInstant('2021-02-03T10:20:30Z');
report(
  'read a date of numbers',
  rate(() => iso.parse('2021-02-03T10:20:30+01:00')),
  'dates/s',
);
report(
  'read a date with names',
  rate(() => named.parse('Wed, 3 Feb 2021 10:20 PST')),
  'dates/s',
);
report(
  'write a date',
  rate(() => format.format(instant)),
  'dates/s',
);
