import { runStage } from '@headrace/engine/testing';
import { idOfRecord } from '@headrace/formats/records/xml';
import { feedDate } from '@headrace/formats/xml/feed';
import { dateMonthStrFormatter, resolveZone } from '@headrace/languages/java/date';
import { normalizeFilePath } from '@headrace/languages/java/text';
import { describe, expect, it } from 'vitest';
import { withoutEndSlashes } from './http/without-end-slashes.ts';
import { baseUrls } from './search-engine/connection.ts';
import { splitCoreUrl } from './solr/solr-nodes.ts';
import { solrUrls } from './solr/solr-settings.ts';
import { ParseFloats } from './stages/parse-floats.ts';

const LENGTH = 500_000;
const endless = (text: string) => text.repeat(LENGTH / text.length);
const blanks = endless(' ');
const digits = endless('1');

// Code that searches such a text again from each of its characters does not finish within the time limit of the test.
describe('long texts of strangers are read once', () => {
  const cases: Record<string, [() => unknown, unknown]> = {
    'a date of a feed, after the day of the week': [() => feedDate(`Mon${blanks}x`), undefined],
    'a date of a feed, before its zone': [() => feedDate(`06 Feb 2023${blanks}?`), undefined],
    'a date of a feed': [() => feedDate(`Mon ${blanks}, 06 Feb 2023`)?.toISOString(), '2023-02-06T00:00:00.000Z'],
    'the id of an XML record': [
      () => {
        const text = endless('&');
        const record = { start: 0, end: LENGTH, line: 1, id: [{ start: 0, end: LENGTH, cdata: false }] };
        return idOfRecord(Buffer.from(text), text, record).length;
      },
      LENGTH,
    ],
    'a month, a day and a year': [
      () => dateMonthStrFormatter(`${endless('a')} February 3, 2021`, resolveZone('UTC')),
      '2021-02-03T00:00:00Z',
    ],
    'slashes after a URL': [() => withoutEndSlashes(`${endless('/')}x${endless('/')}`).length, LENGTH + 1],
    'blanks in URLs': [() => baseUrls(`http://a/ ,${blanks} http://b,c${blanks}x//`).length, 2],
    'slashes in a URL of Solr': [() => solrUrls({ url: `http://a${endless('/')}b/` })[0]?.length, LENGTH + 9],
    'the core in a URL of Solr': [() => splitCoreUrl(`http://a${endless('/')}b/c`).core, 'c'],
    'the server of a path': [() => normalizeFilePath(`//${endless(':')}x/a`, '/'), undefined],
  };
  it.each(Object.entries(cases))('%s', (_, [read, expected]) => {
    expect(read()).toEqual(expected);
  });

  it('numbers in quotes', async () => {
    const [outcome] = await runStage(ParseFloats, { field: 'f' }, [{ id: '1', f: `["${digits}x"]` }]);
    expect(outcome?.documents[0]).toContain('1x');
  });
});
