import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import { assertStageContract, makeStage, runStage, stageContext, toDocument } from '@headrace/engine/testing';
import { withDefaults } from 'headrace/engine';
import iconv from 'iconv-lite';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { extract, extractAll, folder } from './testing/extract.ts';
import { powerPoint97File, word6File, word97File } from './testing/ole-files.ts';
import { TextExtractor } from './text-extractor.ts';

const home = mkdtempSync(join(tmpdir(), 'headrace-extracted-'));
afterAll(() => rmSync(home, { recursive: true }));

const TABLE = '| a | b |\n| --- | --- |\n| 1 | 2 |';

describe('TextExtractor', () => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(TextExtractor, {
      params: { filePathField: 'path' },
      document: { id: '1', path: `${folder}utf8.txt` },
    });
  });

  const markdown = [
    [
      'word.docx',
      '# First chapter\n\nA paragraph with ünïcode.\n\n- first item\n1. counted\n\n## A section\n\n' +
        '| name | price |\n| --- | --- |\n| a\\|b | 3 |\n\nThe end.\n',
    ],
    [
      'sheet.xlsx',
      '## 2024\n\n| name | price | day |\n| --- | --- | --- |\n| apple | 1.5 | 2024-01-02 |\n\n## empty\n\n## more\n\n| last |\n| --- |\n',
    ],
    ['old.xls', '## old\n\n| name | price |\n| --- | --- |\n| apple | 1.5 |\n'],
    [
      'talk.pptx',
      `<!-- page 1 -->\n\n## Opening\n\n- first point\n- second point\n- Say hello.\n\n<!-- page 2 -->\n\n## Numbers\n\n${TABLE}\n`,
    ],
    ['text.odt', `# Heading\n\nA paragraph.\n\n- an item\n\n${TABLE}\n`],
    [
      'pages.pdf',
      '<!-- page 1 -->\n\n# Annual report\n\nThe first line of a paragraph that continues here.\n\nA second paragraph.\n\n' +
        '| name | price | count |\n| --- | --- | --- |\n| apple | 1.50 | 3 |\n| pear | 2.00 | 4 |\n\n<!-- page 2 -->\n\nPage two.\n',
    ],
    [
      'page.html',
      `# Head & shoulders\n\nSome bold text.\nNext line\n\n- one\n  - inner\n- two\n\n${TABLE}\n\n\`\`\`\nx\n  y\n\`\`\`\n`,
    ],
    ['mail.eml', 'Hello Bob.\n\nnote.txt\n\nAn attached note.\n'],
    ['text.rtf', `First été and €.\n\nПри\n\n${TABLE}\n\nThe end.\n`],
    ['book.epub', '<!-- page 1 -->\n\n# One\n\n<!-- page 2 -->\n\n# Two\n'],
    ['files.zip', 'a.txt\n\ntext of a\n\nfolder/page.html\n\ntext of b\n'],
    ['files.tar.gz', 'files.tar\n\nnote.txt\n\ntext of note\n'],
  ] as const;
  let written: string[];

  beforeAll(async () => {
    const documents = markdown.map(([name]) => ({ id: name, path: `${folder}${name}` }));
    const outcomes = await runStage(TextExtractor, { filePathField: 'path', format: 'markdown' }, documents);
    written = outcomes.map(({ documents: [document] }) => JSON.parse(document ?? '').text);
  });

  it.each(markdown.map(([name, text], i) => [name, text, i] as const))('writes %s as Markdown', (_, text, i) => {
    expect(written[i]).toBe(text);
  });

  it.each([
    ['utf8.txt', 'Grüße aus Köln\n', 'UTF-8'],
    ['utf16.txt', 'Grüße aus Köln\n', 'UTF-16LE'],
    ['latin1.txt', "Les élèves français préfèrent l'été à l'hiver, où il a neigé.\n".repeat(3), 'ISO-8859-1'],
  ])('reads the text file %s in its encoding', async (name, text, charset) => {
    expect(await extract(name)).toMatchObject({ text, tika_content_type: `text/plain; charset=${charset}` });
  });

  it('reads text in UTF-16 and UTF-32 without a byte-order mark, and in encodings of DOS and of mail', async () => {
    const english = 'The quick brown fox.\nJumps.\n';
    const russian = 'Однажды, в студеную зимнюю пору,\nЯ из лесу вышел; был сильный мороз.\n';
    const japanese = '日本語のテキスト。\n';
    const iso2022 = '\x1b$BF|K\\8l$N%F%-%9%H!#\x1b(B\n';
    const cases: [encoding: string, text: string, bytes: Buffer][] = [
      ...['UTF-16LE', 'UTF-16BE', 'UTF-32LE', 'UTF-32BE'].flatMap((encoding) =>
        [english, russian, japanese].map((text): [string, string, Buffer] => [
          encoding,
          text,
          iconv.encode(text, encoding, { addBOM: false }),
        ]),
      ),
      ['UTF-32BE', english, iconv.encode(english, 'UTF-32BE', { addBOM: true })],
      ['IBM866', russian, iconv.encode(russian, 'IBM866')],
      ['windows-1251', russian, iconv.encode(russian, 'windows-1251')],
      ['ISO-2022-JP', japanese, Buffer.from(iso2022, 'latin1')],
    ];
    const read = await extractAll(cases.map(([, , bytes]) => bytes));
    expect(read.map(({ text, tika_content_type }) => [tika_content_type, text])).toEqual(
      cases.map(([encoding, text]) => [`text/plain; charset=${encoding}`, text]),
    );
  });

  it('reads a short text in an encoding that has characters for all bytes', async () => {
    const text = 'Съешь же ещё этих мягких французских булок, да выпей чаю\n';
    const [read] = await extractAll([iconv.encode(text, 'windows-1251')]);
    expect(read).toMatchObject({ text, tika_content_type: 'text/plain; charset=windows-1251' });
  });

  it.each(['macroman', 'cp850', 'gb18030'])(
    'reads text in the encoding that the config names: %s',
    async (encoding) => {
      const text = 'Übergröße: 10 £\n';
      const read = await extractAll([iconv.encode(text, encoding), `\ufeff${text}`], { encoding });
      expect(read.map(({ text, tika_content_type }) => [tika_content_type, text])).toEqual([
        [`text/plain; charset=${encoding}`, text],
        ['text/plain; charset=UTF-8', text],
      ]);
    },
  );

  it('reads no text from binary files', async () => {
    const samples = [
      [0, 1, 2, 3],
      [0x20, 0, 0, 0xd8, 1, 0],
      [0, 0x20, 0xff, 0xff],
      [0x41, 0, 0x42, 0, 7],
    ];
    const read = await extractAll(samples.map((bytes) => Buffer.from(bytes)));
    for (const { text, tika_content_type } of read) {
      expect([tika_content_type, text]).toEqual(['application/octet-stream', '']);
    }
  });

  it('writes plain text without marks', async () => {
    expect((await extract('word.docx'))['text']).toBe(
      'First chapter\nA paragraph with ünïcode.\nfirst item\ncounted\nA section\n\tname\tprice\n\ta|b\t3\n\nThe end.\n',
    );
  });

  it('adds metadata under the names of Tika', async () => {
    expect(await extract('word.docx')).toMatchObject({
      tika_dc_title: 'The title',
      tika_dc_creator: 'Ann Author',
      tika_dcterms_created: '2024-01-02T03:04:05Z',
      tika_content_type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      tika_extended_properties_application: 'Microsoft Macintosh Word',
      tika_x_tika_parsed_by: 'headrace.docx',
    });
    expect(await extract('latin1.txt')).toMatchObject({ tika_content_encoding: 'ISO-8859-1' });
    expect(await extract('pages.pdf')).toMatchObject({ tika_xmptpg_npages: '2', tika_dc_title: 'The report' });
    expect(await extract('mail.eml')).toMatchObject({
      tika_dc_title: 'Grüße',
      tika_message_from: 'Ann Author <ann@example.org>',
    });
  });

  it('selects metadata, changes their prefix, and lists their names', async () => {
    const params = { whitelist: ['dc_title', 'dc_creator'], blacklist: ['dc_creator'], metadataPrefix: '' };
    const { text, ...rest } = await extract('pages.pdf', { ...params, fieldNamesField: 'names' });
    expect(rest).toEqual({ dc_title: 'The report', names: 'dc_title' });
    expect(text).toContain('Annual report');
  });

  it('reads bytes and base64 text, with hints from the document', async () => {
    const params = { byteArrayField: 'bytes', metadataFields: { resourceName: 'name', 'Content-Type': 'type' } };
    const bytes = Buffer.from('Grüße', 'latin1').toString('base64');
    const document = { id: '1', bytes, name: 'a.txt', type: 'text/plain; charset=iso-8859-1' };
    const [outcome] = await runStage(TextExtractor, params, [document]);
    expect(JSON.parse(outcome?.documents[0] ?? '')).toMatchObject({ text: 'Grüße\n', tika_resourcename: 'a.txt' });
  });

  it('makes a child of each image in a PDF file, once if it is drawn again on a page', async () => {
    const documents = [{ id: '1', path: `${folder}images.pdf` }];
    const [outcome] = await runStage(TextExtractor, { filePathField: 'path', emitImages: true }, documents);
    const children = (outcome?.documents.slice(0, -1) ?? []).map((text) => JSON.parse(text));
    expect(children).toMatchObject([
      { id: '1-image-1', parent_id: '1', file_name: 'image-1.png', media_type: 'image/png', page: 1 },
      { id: '1-image-2', page: 1 },
      { id: '1-image-3', page: 2 },
    ]);
    const images = children.map(({ file_content }) => PNG.sync.read(Buffer.from(file_content, 'base64')));
    expect(images.map(({ width, height }) => [width, height])).toEqual([
      [4, 2],
      [4, 2],
      [1, 1],
    ]);
    const [colors, bits] = images.map(({ data }) => Array.from(data).filter((_, i) => i % 4 < 3));
    expect(colors?.slice(0, 9)).toEqual([255, 0, 0, 0, 255, 0, 0, 0, 255]);
    expect(bits?.filter((_, i) => i % 3 === 0)).toEqual([255, 0, 255, 0, 0, 255, 0, 255]);
  });

  it('adds the text to a value that exists, and leaves documents without a file unchanged', async () => {
    const documents = [{ id: '1', path: `${folder}utf8.txt`, text: 'before' }, { id: '2' }];
    const outcomes = await runStage(TextExtractor, { filePathField: 'path' }, documents);
    expect(JSON.parse(outcomes[0]?.documents[0] ?? '')).toMatchObject({ text: ['before', 'Grüße aus Köln\n'] });
    expect(outcomes[1]?.documents).toEqual(['{"id":"2"}']);
  });

  it('reports the first document without the field, which may be misspelled', async () => {
    const context = stageContext();
    const stage = makeStage(TextExtractor, { filePathField: 'pth' }, context);
    for (const id of ['1', '2']) await stage.process(toDocument({ id, path: `${folder}utf8.txt` }));
    expect(context.logged).toEqual([
      'The document has no field pth (filePathField) and stays unchanged; others are not reported',
    ]);
  });

  it('cuts the text at the limit', async () => {
    expect((await extract('utf8.txt', { textContentLimit: 3 }))['text']).toBe('Grü');
    expect((await extract('word.docx', { textContentLimit: 20 }))['text']).toBe('First chapter\nA para');
  });

  it.each([
    ['damaged', { bytes: readFileSync(`${folder}word.docx`).subarray(0, 20_000).toString('base64') }, /cannot be read/],
    ['missing', { path: `${folder}none.pdf` }, /none\.pdf/],
  ])('continues with a %s file, and reports the reason in a field, or fails', async (_, source, reason) => {
    const field = 'bytes' in source ? { byteArrayField: 'bytes' } : { filePathField: 'path' };
    const [kept] = await runStage(TextExtractor, { ...field, errorField: 'problem' }, [{ id: '1', ...source }]);
    expect(JSON.parse(kept?.documents[0] ?? '')['problem']).toMatch(reason);
    const [failed] = await runStage(TextExtractor, { ...field, onError: 'fail' }, [{ id: '1', ...source }]);
    expect(failed?.error).toMatch(reason);
  });

  it('reads an Office file with bytes after its end', async () => {
    const [read] = await extractAll([Buffer.concat([readFileSync(`${folder}word.docx`), Buffer.from('\r\n')])]);
    expect(read?.['text']).toContain('First chapter');
  });

  it('fails the document of an archive that expands to more than the limit', async () => {
    const { error } = await extract('bomb.zip', { maxExpandedMb: 1 });
    expect(error).toMatch(
      /^The file .*bomb\.zip cannot be parsed: it expands to more than 1048576 bytes \(maxExpandedMb\)$/,
    );
  });

  it('reads old Office files, with the files inside them', async () => {
    const [old, word, slides, encrypted] = await extractAll(
      [
        word6File('The old one.\rIts \x13 PAGE \x14 3 \x15 pages.\r'),
        word97File('Caf\xe9\r', 'Приве́т\r'),
        powerPoint97File('The title', 'A box'),
        word97File('x', 'y', true),
      ],
      { errorField: 'problem' },
    );
    expect(old?.['text']).toBe('The old one.\nIts  3  pages.\n');
    expect(word?.['text']).toBe('Café\nПриве́т\nnote.txt\ninner\n');
    expect(slides).toMatchObject({ text: 'The title\nA box\n', tika_content_type: 'application/vnd.ms-powerpoint' });
    expect(encrypted?.['problem']).toBe('The file cannot be read: it is encrypted');
  });

  it('reads hostile files without expanding them', async () => {
    const laughs = '<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;&b;">]><a>start &c; end</a>';
    const tables = `<html>${'<table><tr><td>'.repeat(10_000)}deep`;
    const unclosed = `{\\rtf1 ${'{'.repeat(100_000)}text`;
    const mails = 'From: a@b\nTo: c@d\nSubject: s\nContent-Type: message/rfc822\n\n'.repeat(30);
    const [entities, nested, groups, inner] = await extractAll([laughs, tables, unclosed, mails], {
      errorField: 'problem',
    });
    expect(entities).toMatchObject({ text: 'start &c; end\n', problem: expect.stringContaining('undefined entity') });
    expect(nested?.['text']).toBe('deep\n');
    expect(groups?.['text']).toBe('text\n');
    expect(inner).toHaveProperty('tika_dc_title');
  });

  it('fails only the document whose buffers need too much memory', async () => {
    const bomb = gzipSync(Buffer.alloc(96 * 1024 * 1024, 'a'), { level: 1 });
    const [failed, read] = await extractAll([bomb, 'a text'], { maxMemoryMb: 16 });
    expect(failed).toEqual({
      error: 'The file cannot be parsed: parsing needed more than 16 MiB of memory (maxMemoryMb)',
    });
    expect(read?.['text']).toBe('a text\n');
  });

  it.each([
    ['takes too long', { parseTimeout: 1 }, 'parsing took longer than 1 ms (parseTimeout)'],
    ['needs too much memory', { maxMemoryMb: 16 }, 'parsing needed more than 16 MiB of memory (maxMemoryMb)'],
  ])('fails the document whose file %s', async (_, params, reason) => {
    const html = Buffer.from(`<html>${'<b>'.repeat(500_000)}`).toString('base64');
    const [outcome] = await runStage(TextExtractor, { byteArrayField: 'html', ...params }, [{ id: '1', html }]);
    expect(outcome?.error).toBe(`The file cannot be parsed: ${reason}`);
  });

  it.each([
    [{}, 'Neither filePathField nor byteArrayField is set'],
    [{ filePathField: 'a', tika: { url: 'host:9998' } }, 'host:9998 is not an http or https URL'],
    [{ filePathField: 'a', encoding: 'klingon' }, 'klingon is not a known encoding'],
    [{ filePathField: 'a', byteArrayField: 'b' }, 'filePathField and byteArrayField are both set'],
    [
      { filePathField: 'a', tikaConfigPath: 'x.xml' },
      'tikaConfigPath has no effect: files are not read with Apache Tika',
    ],
  ])('reports a mistake in %j', (params, message) => {
    expect(
      [...TextExtractor.check(withDefaults(TextExtractor.parameters, params as never))].map(
        (problem) => problem.message,
      ),
    ).toEqual([message]);
  });
});

describe('TextExtractor with a cache', () => {
  const path = join(home, 'texts.cache');

  /** Extracts files, and returns the documents and whether each file was in the cache. */
  async function run(files: readonly string[], params: object = {}) {
    const hits: boolean[] = [];
    const context = stageContext({ onCacheLookup: (isHit) => hits.push(isHit) });
    const stage = makeStage(TextExtractor, { filePathField: 'path', cache: { path }, ...params }, context);
    await stage.start?.();
    const documents: string[] = [];
    for (const file of files) {
      const document = toDocument({ id: '1', path: file });
      for (const child of (await stage.process(document)) ?? []) documents.push(child.toJson());
      documents.push(document.toJson());
    }
    await stage.stop?.();
    return { hits, documents };
  }

  it('parses a file once, with equal results, until its parameters or its content change', async () => {
    const files = ['word.docx', 'images.pdf', 'mail.eml'].map((name) => `${folder}${name}`);
    const params = { emitImages: true, format: 'markdown' };
    const first = await run(files, params);
    expect(first.hits).toEqual([false, false, false]);
    expect(await run(files, params)).toEqual({ hits: [true, true, true], documents: first.documents });
    expect((await run(files, { ...params, format: 'text' })).hits).toEqual([false, false, false]);

    const changed = join(home, 'mail.eml');
    writeFileSync(changed, readFileSync(`${folder}mail.eml`));
    expect((await run([changed], params)).hits).toEqual([true]);
    appendFileSync(changed, 'A new line.\n');
    expect((await run([changed], params)).hits).toEqual([false]);
  });

  it('parses a file again if its entry is damaged', async () => {
    const files = [`${folder}utf8.txt`];
    const { documents } = await run(files);
    const database = new DatabaseSync(path);
    database.exec('UPDATE entries SET value = substr(value, 1, 20)');
    database.close();
    expect(await run(files)).toEqual({ hits: [false], documents });
  });
});
