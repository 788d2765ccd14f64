import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityProblems } from './accessibility.ts';
import { openPage } from './browser.ts';
import { serviceForFile } from './service.ts';

const CSV = `sku;Product name;price;added;internal
a-1;"  Chair; red ";12.50;2024-05-06;x
a-2;Table;100;2024-06-07;y
a-3;Lamp;7;;z
`;
const JSON_LINES = `{"code": "k1", "title": "One", "size": {"w": 1}}\n{"code": "k2", "title": "Two"}\n`;

let url: string;
const folder = mkdtempSync(join(tmpdir(), 'headrace-load-'));
writeFileSync(join(folder, 'products.csv'), CSV);
writeFileSync(join(folder, 'values.csv'), '1,Chair\n2,Table\n3,Lamp,red\n');
writeFileSync(join(folder, 'titles.jsonl'), JSON_LINES);
writeFileSync(join(folder, 'header.csv'), 'sku,name\n');
writeFileSync(join(folder, 'empty.json'), '[]');
writeFileSync(join(folder, 'windows.csv'), '\uFEFFsku;name\n1;Müller\n2;Grün\n', 'utf16le');
writeFileSync(join(folder, 'index.csv'), ',name,price\n0,Chair,1\n');
writeFileSync(
  join(folder, 'export.csv'),
  '_id;source;filename;path;price;note\n7;web;a.txt;C:\\temp;1.200,50;1\n8;shop;b.txt;D:\\x;3,5;many\n',
);
writeFileSync(join(folder, 'sizes.jsonl'), '{"size": "L", "part": 7}\n{"size": "L", "part": 8}\n');

beforeAll(async () => {
  url = await serviceForFile();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the guided form', () => {
  it('is the first way to start on the overview of an empty service', async () => {
    const page = await openPage(url);
    await page.getByRole('link', { name: 'Load a CSV or JSON file into a search engine' }).click();
    await page.waitForURL(`${url}/load`);
    await page.getByLabel(/^Path of/).waitFor();
  });

  it('loads a CSV file into a file, with fields that are renamed, typed and omitted', async () => {
    const page = await readFile('products.csv');
    await page.getByText('A CSV file with semicolons between its cells').waitFor();
    expect(await page.getByLabel('Id of a document').inputValue()).toBe('sku');
    expect(await page.getByLabel('Type of price').inputValue()).toBe('number');
    expect(await page.getByLabel('Type of added').inputValue()).toBe('date yyyy-MM-dd');
    expect(await page.getByLabel('Name of Product name in the index').inputValue()).toBe('Product_name');
    await page.getByLabel('Name of Product name in the index').fill('title');
    await page.getByLabel('Keep internal').uncheck();
    // The service shows the result of the stages.
    await page.getByRole('row', { name: /^Product name.*Chair; red/ }).waitFor();
    await page.getByRole('row', { name: /^added.*2024-05-06T00:00:00Z/ }).waitFor();
    await page.getByRole('row', { name: /^internal.*omitted/ }).waitFor();

    const target = join(folder, 'out.jsonl');
    await page.getByRole('radio', { name: 'A file' }).check();
    await page.getByRole('textbox', { name: /^File/ }).fill(target);
    await page.getByRole('button', { name: 'Check the connection' }).click();
    await page.getByText('can read the file and write').waitFor();
    await page.getByRole('button', { name: 'Save and run' }).click();
    await page.waitForURL(`${url}/runs/*`);
    await expect.poll(() => page.title()).toContain('Succeeded');
    const documents = readFileSync(target, 'utf8').trim().split('\n');
    expect(documents.map((line) => JSON.parse(line))).toEqual([
      { id: 'a-1', sku: 'a-1', title: 'Chair; red', price: 12.5, added: '2024-05-06T00:00:00Z' },
      { id: 'a-2', sku: 'a-2', title: 'Table', price: 100, added: '2024-06-07T00:00:00Z' },
      { id: 'a-3', sku: 'a-3', title: 'Lamp', price: 7 },
    ]);
  });

  it('keeps columns named source, backslashes and numbers with commas, and finds an id named _id', async () => {
    const page = await readFile('export.csv');
    expect(await page.getByLabel('Type of price').inputValue()).toBe('number 1.234,5');
    await page.getByLabel('Type of note').selectOption('number');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('row', { name: /^note.*many is no number, and stays a text/ }).waitFor();
    const path = page.getByLabel('Type of path');
    await path.selectOption('date dd.MM.yyyy');
    await page.getByRole('row', { name: /^path.*no such date, so that it is omitted/ }).waitFor();
    await path.selectOption('text');
    const target = join(folder, 'export.jsonl');
    await page.getByRole('radio', { name: 'A file' }).check();
    await page.getByRole('textbox', { name: /^File/ }).fill(target);
    await page.getByRole('button', { name: 'Save and run' }).click();
    await page.waitForURL(`${url}/runs/*`);
    await expect.poll(() => page.title()).toContain('Succeeded');
    const documents = readFileSync(target, 'utf8').trim().split('\n');
    expect(documents.map((line) => JSON.parse(line))).toEqual([
      { id: '7', source: 'web', filename: 'a.txt', path: 'C:\\temp', price: 1200.5, note: 1 },
      { id: '8', source: 'shop', filename: 'b.txt', path: 'D:\\x', price: 3.5, note: 'many' },
    ]);
  });

  it('copies a file of the computer to the service, and asks before it replaces one of the same name', async () => {
    const page = await openPage(`${url}/load`);
    const choose = (buffer: string) =>
      page
        .getByLabel('A CSV or JSON file of this computer')
        .setInputFiles({ name: 'Möbel & more.csv', mimeType: 'text/csv', buffer: Buffer.from(buffer) });
    await choose('sku,name\n1,Chair\n');
    await page.getByRole('row', { name: /^name.*Chair/ }).waitFor();
    const path = await page.getByLabel(/^Path of/).inputValue();
    expect(path).toMatch(/\/Mobel - more\.csv$/);
    expect(readFileSync(path, 'utf8')).toBe('sku,name\n1,Chair\n');

    await choose('sku,name\n1,Table\n');
    await page.getByText('The service has a file Mobel - more.csv already').waitFor();
    expect(await accessibilityProblems(page)).toEqual({ light: [], dark: [] });
    await page.getByRole('button', { name: 'Keep both' }).click();
    await page.getByRole('row', { name: /^name.*Table/ }).waitFor();
    expect(await page.getByLabel(/^Path of/).inputValue()).toBe(path.replace('.csv', ' (2).csv'));
    await choose('sku,name\n1,Lamp\n');
    await page.getByRole('button', { name: 'Replace it' }).click();
    await page.getByRole('row', { name: /^name.*Lamp/ }).waitFor();
    expect(readFileSync(path, 'utf8')).toContain('Lamp');

    const target = join(folder, 'uploaded.jsonl');
    await page.getByRole('radio', { name: 'A file' }).check();
    await page.getByRole('textbox', { name: /^File/ }).fill(target);
    await page.getByRole('button', { name: 'Save and run' }).click();
    await page.waitForURL(`${url}/runs/*`);
    await expect.poll(() => page.title()).toContain('Succeeded');
    expect(JSON.parse(readFileSync(target, 'utf8'))).toEqual({ id: '1', sku: '1', name: 'Lamp' });

    await page.getByRole('link', { name: 'System' }).click();
    const row = page.getByRole('row', { name: / \(2\)\.csv 17 bytes/ });
    await row.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByText('Mobel - more (2).csv is deleted').waitFor();
    expect(await accessibilityProblems(page)).toEqual({ light: [], dark: [] });
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await row.waitFor({ state: 'detached' });
    expect(existsSync(path)).toBe(true);
    expect(existsSync(path.replace('.csv', ' (2).csv'))).toBe(false);
  });

  it('names columns of an uploaded file that have no name, and all columns of one without a header', async () => {
    const page = await openPage(`${url}/load`);
    const choose = (name: string, text: string) =>
      page
        .getByLabel('A CSV or JSON file of this computer')
        .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
    await choose('pandas.csv', ',name,price\n7,Chair,1\n8,Table,2\n');
    await page.getByText('A column has no name. In the copy, it is named column_1').waitFor();
    await page.getByRole('row', { name: /^column_1.*7/ }).waitFor();
    expect(await page.getByRole('button', { name: 'Name the columns' }).count()).toBe(0);

    await choose('values.csv', '1,Chair\n2,Table\n');
    await page.getByRole('button', { name: 'Name the columns' }).click();
    await page.getByRole('row', { name: /^column_2.*Chair/ }).waitFor();
    expect(readFileSync(await page.getByLabel(/^Path of/).inputValue(), 'utf8')).toBe(
      'column_1,column_2\n1,Chair\n2,Table\n',
    );
    expect(await accessibilityProblems(page)).toEqual({ light: [], dark: [] });
  });

  it('shows how much of a file is copied', async () => {
    const page = await openPage(`${url}/load`);
    let stored = () => {};
    const held = new Promise<void>((resolve) => {
      stored = resolve;
    });
    await page.route('**/v1/file/*', async (route) => {
      await held;
      await route.continue();
    });
    const buffer = Buffer.from(`sku,name\n${'1,Chair\n'.repeat(1000)}`);
    await page
      .getByLabel('A CSV or JSON file of this computer')
      .setInputFiles({ name: 'large.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('progressbar', { name: 'Part of the file that is copied' }).waitFor();
    stored();
    await page.getByRole('row', { name: /^name.*Chair/ }).waitFor();
    await expect.poll(() => page.getByRole('progressbar').count()).toBe(0);
  });

  it('says that an image is no text', async () => {
    const page = await openPage(`${url}/load`);
    const buffer = readFileSync(new URL('../../docs/images/load.png', import.meta.url));
    await page
      .getByLabel('A CSV or JSON file of this computer')
      .setInputFiles({ name: 'image.csv', mimeType: 'text/csv', buffer });
    await page.getByText('The file is no text').waitFor();
  });

  it('refuses a file that is empty or too large before it is sent', async () => {
    const page = await openPage(`${await serviceForFile('limits: { maxFileBytes: 10 }\n')}/load`);
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT') sent.push(request.url());
    });
    const input = page.getByLabel('A CSV or JSON file of this computer');
    await input.setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from('sku,name\n1,Chair\n') });
    await page.getByText('The file has 17 bytes, and the service takes at most 10 bytes').waitFor();
    await input.setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from('') });
    await page.getByText('The file a.csv is empty').waitFor();
    expect(sent).toEqual([]);
  });

  it('keeps what was entered on other pages and with Back, until it is saved or begins again', async () => {
    const page = await readFile('products.csv');
    await page.getByLabel('Name of Product name in the index').fill('title');
    await page.getByLabel('Address').fill('http://search.example:9200');
    await page.getByRole('link', { name: 'Components' }).click();
    await page.getByRole('heading', { name: 'Components' }).waitFor();
    await page.goBack();
    const name = page.getByLabel('Name of Product name in the index');
    expect(await name.inputValue()).toBe('title');
    expect(await page.getByLabel('Address').inputValue()).toBe('http://search.example:9200');
    await page.getByRole('button', { name: 'Open in the editor instead' }).click();
    await page.waitForURL(`${url}/configs/new`);
    page.once('dialog', (dialog) => dialog.accept());
    await page.goBack();
    expect(await name.inputValue()).toBe('title');
    await page.getByRole('button', { name: 'Start again with another file' }).click();
    await name.waitFor({ state: 'detached' });
    expect(await page.getByLabel(/^Path of/).inputValue()).toBe('');
  });

  it('finds the id of JSON objects, and works with the keyboard alone', async () => {
    const page = await openPage(`${url}/load`);
    await page.getByLabel(/^Path of/).focus();
    await page.keyboard.type(join(folder, 'titles.jsonl'));
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByLabel('Id of a document').inputValue()).toBe('code');
    await page.getByRole('row', { name: /^size.*\{"w":1\}/ }).waitFor();
    await page.getByRole('radio', { name: 'OpenSearch' }).focus();
    await page.keyboard.press('ArrowLeft');
    const target = page.getByRole('textbox', { name: /^File/ });
    await target.focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.type(join(folder, 'titles-out.jsonl'));
    await page.getByLabel('Name of the config').focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${url}/runs/*`);
    await expect.poll(() => page.title()).toContain('Succeeded');
    expect(readFileSync(join(folder, 'titles-out.jsonl'), 'utf8')).toContain('{"code":"k2","title":"Two","id":"k2"}');
  });

  it('is accessible with all its parts, and fits the width of a phone', async () => {
    const page = await readFile('products.csv');
    await page.getByText('Document 1 of').waitFor();
    expect(await accessibilityProblems(page)).toEqual({ light: [], dark: [] });
    await page.setViewportSize({ width: 360, height: 740 });
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  });

  it('warns of a CSV file without a header, and of records that cannot be read', async () => {
    const page = await readFile('values.csv');
    await page.getByText('The first row looks like values').waitFor();
    await page.getByText('1 of the first records cannot be read').waitFor();
  });

  it('explains a file without documents, and reads one with a column without a name', async () => {
    let page = await readFile('header.csv');
    await page.getByText('at least one row of values').waitFor();
    page = await readFile('empty.json');
    await page.getByText('A JSON file needs at least one object').waitFor();
    expect(await page.getByLabel('Field with the id').count()).toBe(0);
    page = await readFile('index.csv');
    await page.getByRole('row', { name: /^name.*Chair/ }).waitFor();
  });

  it('reads a CSV file in UTF-16', async () => {
    const page = await readFile('windows.csv');
    await page.getByRole('row', { name: /^name.*Müller/ }).waitFor();
    await page.getByText('encoding: auto').waitFor();
  });

  it('chooses an id without repetitions for JSON objects, and warns of repeated values', async () => {
    const page = await readFile('sizes.jsonl');
    const id = page.getByLabel('Id of a document');
    await expect.poll(() => id.inputValue()).toBe('part');
    const warning = page.getByText('have the same size');
    expect(await warning.count()).toBe(0);
    await id.selectOption('size');
    await warning.waitFor();
    await page.getByText('idField: size').waitFor();
  });

  it('reports a file that does not exist, and a search engine that does not answer', async () => {
    const page = await readFile('nothing.csv');
    await page.getByText('The file could not be read').waitFor();
    await page.getByText('HR_SOURCE_UNREADABLE').first().waitFor();
    await page.getByLabel(/^Path of/).fill(join(folder, 'products.csv'));
    await page.getByRole('button', { name: 'Read the file' }).click();
    // Nothing listens on this port.
    await page.getByLabel('Address').fill('http://127.0.0.1:1');
    await page.getByRole('button', { name: 'Check the connection' }).click();
    await page.getByText('No server listens on this host and port').waitFor();
  });
});

/** Opens the form and lets the service read a file of the folder. */
async function readFile(name: string): Promise<Page> {
  const page = await openPage(`${url}/load`);
  await page.getByLabel(/^Path of/).fill(join(folder, name));
  await page.getByRole('button', { name: 'Read the file' }).click();
  return page;
}
