import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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

it('ApplyOCR reads the images that TextExtractor finds in a file, and leaves the file unchanged', async () => {
  const cwd = directoryWith({ 'a.conf': CONFIG });
  mkdirSync(join(cwd, 'files'));
  const image = readFileSync(join(repository, 'plugins/ocr/src/testing/files/hello.png'));
  const document = '<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>A scan</w:t></w:r></w:p></w:body></w:document>';
  writeFileSync(
    join(cwd, 'files/scan.docx'),
    zipOf([
      { name: '[Content_Types].xml', content: '<Types/>' },
      { name: 'word/document.xml', content: document },
      { name: 'word/media/image1.png', content: image },
    ]),
  );
  const { code, stdout, stderr } = await headrace(['run', 'a.conf'], { cwd });
  expect(code, stderr + stdout).toBe(0);
  const lines = readFileSync(join(cwd, 'out.jsonl'), 'utf8').trimEnd().split('\n');
  const [scan, file] = lines.map((line) => JSON.parse(line));
  expect(file).toEqual({ id: expect.any(String), text: 'A scan\n' });
  expect(scan).toEqual({
    id: `${file.id}-image-1`,
    parent_id: file.id,
    file_name: 'word/media/image1.png',
    text: 'Hello, World!\n',
  });
});
