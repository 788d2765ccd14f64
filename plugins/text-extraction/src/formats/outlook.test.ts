import { expect, it } from 'vitest';
import { Extraction } from '../blocks/blocks.ts';
import { writeText } from '../blocks/write-text.ts';
import { oleFile } from '../testing/ole-files.ts';
import { readOptions } from '../testing/read-options.ts';
import { ExpansionBudget, type FileInput } from './format.ts';
import { readOutlook } from './outlook.ts';

const utf16 = (text: string) => Buffer.from(text, 'utf16le');

it('reads the text, the metadata and the attachments of a mail of Outlook', async () => {
  const bytes = oleFile({
    '__properties_version1.0': Buffer.alloc(32),
    '__substg1.0_0037001F': utf16('Grüße'),
    '__substg1.0_1000001F': utf16('Hello Bob.\r\nSee you in Köln.\r\n'),
    '__substg1.0_0C1A001F': utf16('Ann Author'),
    '__substg1.0_0C1F001F': utf16('ann@example.org'),
    '__recip_version1.0_#00000000/__properties_version1.0': Buffer.alloc(8),
    '__recip_version1.0_#00000000/__substg1.0_3001001F': utf16('Bob'),
    '__recip_version1.0_#00000000/__substg1.0_3003001F': utf16('bob@example.org'),
    '__attach_version1.0_#00000000/__properties_version1.0': Buffer.alloc(8),
    '__attach_version1.0_#00000000/__substg1.0_3707001F': utf16('note.txt'),
    '__attach_version1.0_#00000000/__substg1.0_37010102': Buffer.from('An attached note.'),
  });
  const extraction = new Extraction(Number.POSITIVE_INFINITY, false);
  const inner: [string | undefined, string][] = [];
  const input: FileInput = {
    bytes,
    name: undefined,
    charset: undefined,
    options: readOptions,
    depth: 0,
    budget: new ExpansionBudget(1_000_000),
    readInner: async (content, name) => void inner.push([name, Buffer.from(content).toString()]),
  };
  await readOutlook(input, extraction);
  expect(writeText(extraction.blocks)).toBe('Hello Bob.\r\nSee you in Köln.\r\n');
  expect(Object.fromEntries(extraction.metadata)).toMatchObject({
    'dc:title': ['Grüße'],
    'dc:creator': ['Ann Author'],
    'Message:From-Email': ['ann@example.org'],
    'Message-To': ['Bob <bob@example.org>'],
  });
  expect(inner).toEqual([['note.txt', 'An attached note.']]);
});
