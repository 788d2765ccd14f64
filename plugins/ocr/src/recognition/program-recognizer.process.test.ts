import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ProgramRecognizer } from './program-recognizer.ts';

const program = fileURLToPath(new URL('../testing/recorded-tesseract.mjs', import.meta.url));
const image = readFileSync(new URL('../testing/files/hello.png', import.meta.url));
const OPTIONS = [
  '-l',
  'eng',
  '--psm',
  '4',
  '--dpi',
  '300',
  '-c',
  'tessedit_create_txt=1',
  '-c',
  'tessedit_create_tsv=1',
];

// The calls are those that Tesseract 5.3 was seen to accept.
describe('ProgramRecognizer calls a program', () => {
  it('with the whole image, and returns its text and the mean confidence of the words', async () => {
    const recognizer = await ProgramRecognizer.open(program, 'eng');
    const { text, confidence } = await recognizer.recognize(image, undefined);
    expect(JSON.parse(text)).toEqual({ bytes: image.length, zone: null, options: OPTIONS });
    expect([text.at(-1), confidence]).toEqual(['\n', 75.5]);
  });

  it('with the whole image and the rectangle of a region, in whole pixels', async () => {
    const recognizer = await ProgramRecognizer.open(program, 'eng+deu');
    const { text } = await recognizer.recognize(image, { x: 10.4, y: 20, width: 100.2, height: 50 });
    expect(JSON.parse(text)).toMatchObject({ bytes: image.length, zone: '10 20 101 50 Text\n' });
  });

  it('and reports its error, without leaving files', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'program-recognizer-'));
    vi.stubEnv('TMPDIR', folder);
    onTestFinished(() => {
      vi.unstubAllEnvs();
      rmSync(folder, { recursive: true });
    });
    const recognizer = await ProgramRecognizer.open(program, 'eng');
    await expect(recognizer.recognize(Buffer.from('damaged'), undefined)).rejects.toThrow(
      'tesseract ended with code 1: Error in pixReadStream: Unknown format',
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('but not if it lacks a language', async () => {
    await expect(ProgramRecognizer.open(program, 'eng+fra')).rejects.toMatchObject({
      message: `${program} has no data for the language fra`,
      hint: 'Install them (Debian: apt-get install tesseract-ocr-fra), or use one of: eng deu.',
    });
  });
});
