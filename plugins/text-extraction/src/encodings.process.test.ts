import { describe, expect, it } from 'vitest';
import { extractAll } from './testing/extract.ts';

const GERMAN = 'Der Prüfbericht für das Jahr enthält größere Änderungen.\nÜber die Höhe entscheidet das Büro!\n';

/** Texts in code page 273, recorded from Python's codec. */
const EBCDIC = {
  text: 'c4859940d799d086828599898388a34086d099408481a240d1818899408595a388c093a34087996aa1859985404a95848599a4958785954b255a8285994084898540c86a8885408595a3a2838885898485a3408481a240c2d099964f25',
  page: '4c88a394936e4c888581846e4ca389a393856ec28599898388a34c61a389a393856e4c61888581846e254c829684a86e4c88f16e5a828599a2898388a34c6188f16e4c976ec4859940d799d086828599898388a34086d099408481a240d1818899408595a388c093a34087996aa1859985404a95848599a4958785954b4c61976e4c61829684a86e4c6188a394936e25',
  xml: '4c6fa7949340a58599a28996957e7ff14bf07f4085958396848995877e7fc9c2d4f2f7f37f6f6e254c9985979699a36e4ca389a393856e5a828599a2898388a34084859940d799d086a495874c61a389a393856e4c619985979699a36e25',
};

/** Recorded from Python's codecs, and from Java for ISO-2022-CN. */
const ESCAPED: readonly (readonly [encoding: string, bytes: Buffer, text: string])[] = [
  ['HZ-GB-2312', Buffer.from('~{;l:O~} text ~{VPNDWV7{#,1j5c!#~}\n'), '混合 text 中文字符，标点。\n'],
  ['ISO-2022-KR', Buffer.from('\x1b$)C\x0eGQ19>n\x0f \x0eEX=:F.@T4O4Y\x0f\n'), '한국어 텍스트입니다\n'],
  ['ISO-2022-CN', Buffer.from('\x1b$)A\x0eVPND2bJT\x0f, \x0e::WV\x0f a\n'), '中文测试, 汉字 a\n'],
];

describe('TextExtractor reads encodings of mainframes and of mail', () => {
  it('detects EBCDIC in text, web pages and XML', async () => {
    const [text, page, xml] = await extractAll(Object.values(EBCDIC).map((hex) => Buffer.from(hex, 'hex')));
    expect(text).toMatchObject({ text: GERMAN, tika_content_type: 'text/plain; charset=IBM273' });
    expect(page).toMatchObject({ tika_content_type: 'text/html; charset=IBM273', tika_dc_title: 'Bericht' });
    expect(page?.['text']).toContain('Übersicht\nDer Prüfbericht für das Jahr');
    expect(xml).toMatchObject({ text: expect.stringContaining('Übersicht der Prüfung') });
  });

  it.each(ESCAPED)('detects %s', async (encoding, bytes, text) => {
    const [read] = await extractAll([bytes]);
    expect(read).toMatchObject({ text, tika_content_type: `text/plain; charset=${encoding}` });
  });

  it.each([
    ['IBM037', Buffer.from('c84f', 'hex'), 'H|'],
    ['cp500', Buffer.from('c84f', 'hex'), 'H!'],
    ['utf-7', Buffer.from('Gr+APwA3w-e +-1 +ZeVnLA'), 'Grüße +1 日本'],
    ['hz', Buffer.from('~{VPND~}'), '中文'],
  ])('reads the encoding that the config names: %s', async (encoding, bytes, text) => {
    expect(await extractAll([bytes], { encoding })).toMatchObject([{ text: `${text}\n` }]);
  });

  it('reads a page with a few bytes that no text has', async () => {
    const [read] = await extractAll([Buffer.from('<HTML><BODY><P>Hello\0\x02\x07 there</P>')]);
    expect(read).toMatchObject({
      text: expect.stringMatching(/Hello.* there/),
      tika_content_type: expect.stringMatching(/^text\/html/),
    });
  });

  it.each(['unicode', 'utf-16', 'IBM037'])('ignores the encoding %s of a page that is in ASCII', async (name) => {
    const [read] = await extractAll([Buffer.from(`<html><meta charset=${name}><p>Grüße</p></html>`)]);
    expect(read).toMatchObject({ text: 'Grüße\n' });
  });
});
