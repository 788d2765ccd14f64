import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { accountsOf, configOf, RunHarness } from './run-harness.ts';

const harness = new RunHarness({ isLocal: true, registry: { modules: ['./fixture-components.ts', './contracts.ts'] } });
afterAll(() => harness.close());

/** Runs a config, and returns its result and its problems with their codes. */
async function outcomeOf(parts: Parameters<typeof configOf>[0]) {
  const result = await harness.run(configOf(parts));
  const { published, created, succeeded, failed, dropped } = accountsOf(result);
  expect(published + created).toBe(succeeded + failed + dropped);
  return { result, succeeded, failed, reasons: result.problems.map(({ code, message }) => `${code} ${message}`) };
}

describe('a connector that breaks a rule', () => {
  it.each([
    ['a plain object', 'A Document is expected, not [object Object]'],
    ['no id', 'A document has no id: its id is undefined'],
    ['a number as id', 'A document has no id: its id is a number'],
    ['a value too few', 'The document "x" has 2 field names and 1 values'],
    ['one document for all records', 'publish() received the document "a" again'],
    ['a text as bytes', 'The bytes of a chunk are a string, not a Uint8Array'],
    ['no decoder', 'The decoder of a chunk is not { url, name, options }'],
    ['a wrong number of documents', 'LinesDecoder returned 2 records of a chunk that was published with documents: 3'],
    ['no chunk', 'publishChunk() received undefined, not a chunk'],
    ['no rejected record', 'reject() received undefined, not a rejected record'],
    ['a text as rejected record', 'reject() received a string, not a rejected record'],
    ['a rejected record without a message', 'A rejected record has a string as place and undefined as message'],
    ['a rejected record of no documents', 'A rejected record contains 0 documents'],
    ['a late publish', 'publish() was called after execute() had ended'],
    ['AsyncDecoder', 'decode() of AsyncDecoder returned a promise'],
    ['SameDocumentDecoder', 'SameDocumentDecoder passed the document "a" twice'],
    ['NoIdDecoder', 'NoIdDecoder passed a document without an id: its id is undefined'],
    ['PlainDecoder', 'PlainDecoder passed [object Object], not a Document'],
  ])('fails the run: %s', async (breach, message) => {
    const { result, reasons } = await outcomeOf({ connector: `class: ContractConnector, breach: "${breach}"` });
    expect(result.status).toBe('FAILED');
    expect(reasons.join('\n')).toContain('HR_COMPONENT_CONTRACT ');
    expect(reasons.join('\n')).toContain(message);
  });

  it.each([
    ['a plain object', 'A Document is expected, not [object Object]'],
    ['no id', 'A document has no id: its id is undefined'],
    ['one document for all records', 'publish() received the document "a" again'],
    ['a text as bytes', 'The bytes of a chunk are a string, not a Uint8Array'],
    ['a wrong number of documents', 'LinesDecoder returned 2 records of a chunk that was published with documents: 3'],
    ['a rejected record without a message', 'A rejected record has a string as place and undefined as message'],
    ['a late publish', 'publish() was called after execute() had ended'],
    ['AsyncDecoder', 'decode() of AsyncDecoder returned a promise'],
    ['SameDocumentDecoder', 'SameDocumentDecoder passed the document "a" twice'],
    ['NoIdDecoder', 'NoIdDecoder passed a document without an id: its id is undefined'],
    ['PlainDecoder', 'PlainDecoder passed [object Object], not a Document'],
  ])('fails the preview: %s', async (breach, message) => {
    const config = configOf({ connector: `class: ContractConnector, breach: "${breach}"` });
    const { problems } = await harness.preview(config);
    expect(problems).toMatchObject([{ code: 'HR_COMPONENT_CONTRACT', message: expect.stringContaining(message) }]);
  });

  it.each([
    ['a wrong number of documents', 3, 1, '1 document failed: LinesDecoder returned 2 records'],
    ['more documents than published', 2, 0, 'LinesDecoder returned 2 records'],
  ])('counts every document once: %s', async (breach, published, failed, message) => {
    const { result, ...counts } = await outcomeOf({ connector: `class: ContractConnector, breach: "${breach}"` });
    expect(accountsOf(result)).toMatchObject({ published, succeeded: 2, failed });
    expect(counts.reasons.join('\n')).toContain(
      `HR_COMPONENT_CONTRACT ${failed === 0 ? 'Connector exception: ' : ''}${message}`,
    );
    expect(result.problems.map((problem) => problem.message).join('\n')).not.toContain('-1');
  });

  it('fails the run if a decoder uses its sink later', async () => {
    const { result } = await outcomeOf({ connector: 'class: ContractConnector, breach: LateDecoder' });
    expect(result.status).toBe('FAILED');
  });
});

it('a connector may use the memory of small chunks again, and need not wait for the last calls', async () => {
  const { result, succeeded } = await outcomeOf({ connector: 'class: HastyConnector' });
  expect([result.status, succeeded]).toEqual(['SUCCEEDED', 3]);
  const { results, problems } = await harness.preview(configOf({ connector: 'class: HastyConnector' }));
  expect(problems).toEqual([]);
  expect(results.map(({ documents }) => documents)).toEqual(['a1', 'b1', 'c1'].map((id) => [`{"id":"${id}"}`]));
});

describe('a stage that breaks a rule', () => {
  it.each([
    ['its own document', 'The stage emitted its own document "0" as a child'],
    ['a plain object as child', 'The stage emitted [object Object], not a Document'],
    ['a child without an id', 'The stage emitted a document without a valid id'],
    ['a document', 'The stage returned a document where children are expected'],
    ['an array of texts', 'The stage emitted a string without a valid id'],
    ['a plain object', 'The stage returned [object Object] where children are expected'],
  ])('fails its documents: %s', async (breach, message) => {
    const stages = `{class: ContractStage, breach: "${breach}"}`;
    const { failed, reasons } = await outcomeOf({ connector: 'class: CountConnector, count: 3', stages });
    expect(failed).toBe(3);
    expect(reasons).toContain(`HR_STAGE_CHILD_INVALID Document 0 failed: ${message}`);
  });

  it.each([
    ['maxInFlight', 'ContractStage) could not start: maxInFlight of ContractStage is NaN, not a whole number from 1'],
    [
      'an async processTable',
      'HR_COMPONENT_CONTRACT Connector exception: processTable() of ContractStage returned a promise',
    ],
  ])('fails the run: %s', async (breach, message) => {
    const stages = `{class: ContractStage, breach: "${breach}"}`;
    const { result, reasons } = await outcomeOf({ connector: 'class: CountConnector, count: 3000', stages });
    expect(result.status).toBe('FAILED');
    expect(reasons.join('\n')).toContain(message);
  });
});

describe('an indexer that breaks a rule', () => {
  const csv = join(harness.directory, 'in.csv');
  writeFileSync(csv, `id\n${Array.from({ length: 300 }, (_, i) => `${i}\n`).join('')}`);

  it.each([
    ['nothing', "The indexer's send() does not say which of"],
    ['a position that is not in the batch', "The indexer's send() does not say which of"],
    ['a position twice', "The indexer's send() does not say which of"],
    ['too few outcomes', 'The indexer confirmed a batch of'],
    ['no outcomes', 'The indexer confirmed a batch of'],
    ['NothingEncoder', 'encode() of NothingEncoder returned undefined, not a text'],
    ['AsyncEncoder', 'encode() of AsyncEncoder returned [object Promise], not a text'],
    ['EmptyEncoder', 'encode() of EmptyEncoder returned an empty text'],
    ['EmptyTableEncoder', 'encodeTable() of EmptyTableEncoder returned an empty text'],
    ['PackEmptyEncoder', 'encodeTable() of PackEmptyEncoder returned an empty text'],
    ['ShortTableEncoder', 'encodeTable() of ShortTableEncoder returned'],
    ['maxInFlight', 'maxInFlight of ContractIndexer is 0, not a whole number from 1'],
    ['finish', 'finish() of ContractIndexer returned'],
    ['HashEncoder', 'hash() of HashEncoder returned 1 bytes for'],
    ['PackSameEncoder', 'pack() of PackSameEncoder returned the memory that it received'],
    ['PackNothingEncoder', 'pack() of PackNothingEncoder returned undefined'],
  ])('fails the run: %s', async (breach, message) => {
    const indexer = `class: ContractIndexer }\ncontract { breach: "${breach}"`;
    const { result, reasons } = await outcomeOf({
      connector: `class: CSVConnector, path: "${csv}", idField: id`,
      indexer,
    });
    expect(result.status).toBe('FAILED');
    expect(reasons.join('\n')).toContain(message);
  });
});
