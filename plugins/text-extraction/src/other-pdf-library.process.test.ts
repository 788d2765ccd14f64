import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { withDefaults } from '@headrace/engine';
import { stageContext, toDocument } from '@headrace/engine/testing';
import { zipOf } from '@headrace/testing/archives';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TextExtractor } from './text-extractor.ts';

const plugin = fileURLToPath(new URL('..', import.meta.url));
const root = join(plugin, '../..');

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
}

/** Installs the built plugin into a folder, with a package unpdf of any version. Returns its entry. */
function install(home: string, unpdf: { readonly version: string; readonly main: string } | undefined): string {
  const modules = join(home, 'node_modules');
  const target = join(modules, '@headrace/text-extraction');
  cpSync(join(plugin, 'dist'), join(target, 'dist'), { recursive: true });
  const manifest = readFileSync(join(plugin, 'package.json'), 'utf8');
  writeFileSync(join(target, 'package.json'), manifest);
  const { dependencies } = JSON.parse(manifest) as Manifest;
  for (const name of ['headrace', ...Object.keys(dependencies)].filter((one) => one !== 'unpdf')) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  if (unpdf !== undefined) {
    const { version, main } = unpdf;
    const exports = { '.': './dist/index.mjs', './pdfjs': './dist/pdfjs.mjs' };
    mkdirSync(join(modules, 'unpdf/dist'), { recursive: true });
    writeFileSync(
      join(modules, 'unpdf/package.json'),
      JSON.stringify({ name: 'unpdf', version, type: 'module', exports }),
    );
    writeFileSync(join(modules, 'unpdf/dist/index.mjs'), "export * from 'unpdf/pdfjs';");
    writeFileSync(join(modules, 'unpdf/dist/pdfjs.mjs'), main);
  }
  return pathToFileURL(join(target, 'dist/index.js')).href;
}

describe('the plugin with another pdf.js', () => {
  let home: string;
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'headrace-unpdf-'));
    return () => rmSync(home, { recursive: true });
  });

  async function stageWith(folder: string, unpdf: Parameters<typeof install>[1]): Promise<TextExtractor> {
    const { TextExtractor: Installed } = (await import(install(join(home, folder), unpdf))) as {
      TextExtractor: typeof TextExtractor;
    };
    return new Installed(withDefaults(Installed.parameters, { filePathField: 'path' }), stageContext());
  }

  it.each([
    ['newer', { version: '1.9.0', main: '' }, 'version 1.9.0 is installed'],
    ['missing', undefined, 'it is not installed'],
  ])('does not start (%s), and says what to do', async (folder, unpdf, message) => {
    const stage = await stageWith(folder, unpdf);
    await expect(stage.start()).rejects.toMatchObject({
      code: 'HR_LIBRARY_VERSION',
      message: `PDF files need the package unpdf in version 1.8.1, and ${message}`,
      hint: expect.stringContaining('npm install unpdf@1.8.1'),
    });
    await stage.stop();
  });

  it('fails each document if the version is right and pdf.js is not, also for a PDF file inside another file', async () => {
    const pages = readFileSync(join(plugin, 'src/testing/files/pages.pdf'));
    const stage = await stageWith('changed', { version: '1.8.1', main: 'export const getDocument = 1;' });
    await stage.start();
    try {
      for (const [name, content] of [
        ['a.pdf', pages] as const,
        ['a.zip', zipOf([{ name: 'a.pdf', content: pages }])] as const,
      ]) {
        writeFileSync(join(home, name), content);
        const document = toDocument({ id: '1', path: join(home, name) });
        await expect(stage.process(document)).rejects.toThrow(
          /pdf.js has the method getPageDict 0 times instead of once/,
        );
        expect(document.has('text')).toBe(false);
      }
    } finally {
      await stage.stop();
    }
  });
});
