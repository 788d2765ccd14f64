import { expect, it } from 'vitest';
import { explainLucilleCommand } from './lucille-command.ts';

it.each([
  [['run', 'x.conf', '-external'], '-external is from Lucille. Write: headrace run CONFIG --external'],
  [['run', 'x.conf', '-useKafka'], '-useKafka is from Lucille. Write: headrace run CONFIG --external'],
  [['Runner', '-distributed'], '-distributed is from Lucille. Write: headrace run CONFIG --distributed'],
  [['-local'], '-local is from Lucille. Write: headrace run CONFIG'],
  [
    ['com.kmwllc.lucille.core.WorkerIndexer', 'films'],
    'com.kmwllc.lucille.core.WorkerIndexer is from Lucille. Write: headrace worker-indexer CONFIG [--pipeline NAME]',
  ],
  [['Indexer'], 'Indexer is from Lucille. Write: headrace indexer CONFIG [--pipeline NAME]'],
])('explains %j', (args, expected) => {
  expect(explainLucilleCommand(args)).toBe(expected);
});

it('explains nothing in a command line of Headrace', () => {
  expect(explainLucilleCommand(['run', 'x.conf', '--nope', 'toString'])).toBeUndefined();
});
