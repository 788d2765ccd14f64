import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zipOf } from '@headrace/testing/archives';
import { expect, it } from 'vitest';
import { directoryWith, headrace, repository } from '../cli/headrace.ts';

const CONFIG = `
connectors: [{ class: FileConnector, name: files, pipeline: p, paths: [files], fileOptions { getFileContent: false } }]
pipelines: [{
  name: p
  stages: [
    { class: TextExtractor, filePathField: file_path, textField: text, emitImages: true, metadataPrefix: m, onError: fail }
    { class: ApplyOCR, lang: eng, byteArrayField: file_content, extractAllDest: text, onError: fail }
  ]
}]
indexer { type: JSONLines, whitelist: [id, parent_id, file_name, text] }
jsonl { path: out.jsonl }
`;

it('ApplyOCR reads the images that TextExtractor finds in files, and leaves the files unchanged', async () => {
  const cwd = directoryWith({ 'a.conf': CONFIG });
  mkdirSync(join(cwd, 'files'));
  const image = readFileSync(join(repository, 'plugins/ocr/src/testing/files/hello.png'));
  const document = '<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>A scan</w:t></w:r></w:p></w:body></w:document>';
  const word = zipOf([
    { name: '[Content_Types].xml', content: '<Types/>' },
    { name: 'word/document.xml', content: document },
    { name: 'word/media/image1.png', content: image },
  ]);
  const page = `<html><body>A page <img src="data:image/png;base64,${image.toString('base64')}"></body></html>`;
  const rtf = `{\\rtf1 A letter {\\pict\\pngblip ${image.toString('hex')}}}`;
  for (const [name, content] of Object.entries({ 'scan.docx': word, 'page.html': page, 'letter.rtf': rtf })) {
    writeFileSync(join(cwd, 'files', name), content);
  }
  // A logo, in a file that Word 97 saved.
  const old = 'plugins/text-extraction/src/testing/files/image.doc';
  copyFileSync(join(repository, old), join(cwd, 'files/old.doc'));
  const { code, stdout, stderr } = await headrace(['run', 'a.conf'], { cwd });
  expect(code, stderr + stdout).toBe(0);
  const lines = readFileSync(join(cwd, 'out.jsonl'), 'utf8').trimEnd().split('\n');
  const documents = lines.map((line) => JSON.parse(line));
  for (const [text, name] of [
    ['A scan\n', 'word/media/image1.png'],
    ['A page\n', 'image-1.png'],
    ['A letter \n', 'image-1.png'],
  ]) {
    const file = documents.find((one) => one.text === text);
    expect(file).toEqual({ id: expect.any(String), text });
    const image = documents.filter((one) => one.parent_id === file.id);
    const id = `${file.id}-image-1`;
    expect(image).toEqual([{ id, parent_id: file.id, file_name: name, text: 'Hello, World!\n' }]);
  }
  expect(documents.find(({ text }) => text.includes('Alfresco'))).toMatchObject({ file_name: 'image-1.png' });
  expect(documents).toHaveLength(8);
});
