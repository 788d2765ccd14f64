import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWithServer } from '@headrace/testing/real-server';
import { afterAll, expect, it } from 'vitest';
import { openPage } from './browser.ts';
import { serviceForFile } from './service.ts';

const folder = mkdtempSync(join(tmpdir(), 'headrace-load-'));
writeFileSync(join(folder, 'products.csv'), 'sku;Product name;price\na-1;Chair;12.50\na-2;Table;100\n');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

await describeWithServer('opensearch', (server) => {
  it('the guided form loads a CSV file into OpenSearch', async () => {
    const url = await serviceForFile();
    const page = await openPage(`${url}/load`);
    await page.getByLabel(/^Path of/).fill(join(folder, 'products.csv'));
    await page.getByRole('button', { name: 'Read the file' }).click();
    await page.getByLabel('Address').fill(server.url);
    await page.getByRole('textbox', { name: /^Index/ }).fill('products-web');
    await page.getByLabel('Name of the config').fill('into-opensearch');
    await page.getByRole('button', { name: 'Check the connection' }).click();
    await page.getByText('can read the file and write').waitFor();
    await page.getByRole('button', { name: 'Save and run' }).click();
    await page.waitForURL(`${url}/runs/*`);
    await expect.poll(() => page.title()).toContain('Succeeded');
    await fetch(`${server.url}/products-web/_refresh`, { method: 'POST' });
    const found = await fetch(`${server.url}/products-web/_search?q=price:%3E50`);
    expect(await found.json()).toMatchObject({ hits: { hits: [{ _id: 'a-2', _source: { Product_name: 'Table' } }] } });
  });
});
