import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { finished, startRun } from '../service/served.ts';
import { openPage } from './browser.ts';
import { expectPicture, fixAnswers, PICTURE_PAGE } from './pictures.ts';
import { serviceForFile } from './service.ts';

const ROWS = 24_000;
const NAMES = [' Oak chair ', 'Steel lamp', 'Glass table ', 'Wool rug'];
const TAGS = ['wood;chair', 'metal;lamp', 'glass;table', 'wool;rug;red'];

/** A file as a newcomer may have it: spaces, lists in cells, some prices that are not numbers, and missing names. */
function csv(): string {
  const lines = Array.from({ length: ROWS }, (_, i) => {
    const name = i % 1000 === 999 ? '' : NAMES[i % 4];
    return `a-${i + 1},${name},${TAGS[i % 4]},${i % 400 === 2 ? 'ask us' : 40 + (i % 200)}\n`;
  });
  return `sku,name,tags,price\n${lines.join('')}`;
}

describe('the pictures of the docs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'headrace-pictures-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let url: string;
  let runId: string;

  beforeAll(async () => {
    writeFileSync(join(folder, 'products.csv'), csv());
    url = await serviceForFile();
    const stored = await fetch(`${url}/v1/config/products`, {
      method: 'PUT',
      headers: { 'content-type': 'application/hocon' },
      body: `# The products of the shop.
connectors: [
  { name: products, class: CSVConnector, pipeline: clean, path: "products.csv", idField: sku }
]

pipelines: [
  {
    name: clean
    stages: [
      { class: TrimWhitespace, name: trim, fields: [name] }
      { class: SplitFieldValues, name: tags, inputField: tags, outputField: tags, delimiter: ";", trimWhitespace: true }
      { class: ApplyJavascript, name: check, script: """
        if (!doc.name) throw new Error('a product needs a name');
        if (isNaN(doc.price)) throw new Error('the price "' + doc.price + '" is not a number');
      """ }
      { class: DeleteFields, name: tidy, fields: [source, filename, csvLineNumber] }
    ]
  }
]

indexer { type: Nop }
`.replace('products.csv', join(folder, 'products.csv')),
    });
    if (stored.status !== 201) throw new Error(await stored.text());
    ({ runId } = await startRun(url, 'products'));
    await finished(url, runId);
  });

  const open = async (path: string): Promise<Page> => {
    const page = await openPage(url, PICTURE_PAGE);
    await fixAnswers(page);
    await page.goto(url + path);
    return page;
  };

  it('show the form that loads a file', async () => {
    const page = await open('/load');
    await page.getByLabel('A CSV or JSON file of this computer').setInputFiles(join(folder, 'products.csv'));
    await page.getByText(/^Document 1 of the first/).waitFor();
    // Only the text: the form would forget the file after a change.
    await page.evaluate(`for (const input of document.querySelectorAll('input:not([type=file])'))
      input.value = input.value.replace(/^.*headrace-files-[^/]*/, '/home/me/headrace/.headrace/files')`);
    await expectPicture(page, 'load');
  });

  it('show a preview, with what a stage changed in a document', async () => {
    const page = await open('/configs/products/preview');
    await page.getByRole('button', { name: /^tags SplitFieldValues/ }).click();
    await page.getByRole('row', { name: /^changed tags/ }).waitFor();
    await expectPicture(page, 'preview');
  });

  it('show a run', async () => {
    const page = await open(`/runs/${runId}`);
    await page.getByRole('img', { name: /Documents per second/ }).waitFor();
    await page.getByRole('button', { name: 'Retry failed documents' }).waitFor();
    await expectPicture(page, 'run');
  });

  it('show why documents failed', async () => {
    const page = await open(`/runs/${runId}/failures`);
    await page.locator('.groups summary').first().click();
    await page.getByText('"price": "ask us"').waitFor();
    await page.getByRole('button', { name: 'Retry failed documents' }).waitFor();
    await expectPicture(page, 'failures');
  });
});
