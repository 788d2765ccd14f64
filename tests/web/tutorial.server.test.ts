import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithServer } from '@headrace/testing/real-server';
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { directoryWith, repository } from '../cli/headrace.ts';
import { readPages } from '../docs/page.ts';
import { serve } from '../service/served.ts';
import { openPage } from './browser.ts';

/** The file that the config of the tutorial reads. */
const CSV = `sku,name,tags,price
a-1, Oak chair ,wood;chair,40.5
a-2,Steel lamp,metal;lamp,100
a-3,Glass table,glass;table,ask us
a-4,Wool rug,wool;rug,ask us
`;
const tutorial = readPages(join(repository, 'docs')).find(({ name }) => name === 'tutorial.md');
const text = tutorial?.text ?? '';
/** What the tutorial asks the reader to press, choose or look at, in bold. */
const LABELS = [...new Set(Array.from(text.matchAll(/\*\*([^*]+)\*\*/g), ([, label]) => label as string))];

/** Follows the tutorial, and counts what a person does: each press, choice and text that is entered. */
class Reader {
  readonly page: Page;
  readonly followed = new Set<string>();
  actions = 0;

  constructor(page: Page) {
    this.page = page;
  }

  /** Presses a control that the tutorial names. */
  press(label: string): Promise<void> {
    this.followed.add(label);
    // The tutorial omits numbers.
    const name = new RegExp(`^${label.replace('…', '.*')}( \\d+)?$`);
    const control = (role: 'button' | 'link') => this.page.getByRole(role, { name }).first();
    return this.act(control('button').or(control('link')).first(), (found) => found.click());
  }

  enter(field: Locator, value: string): Promise<void> {
    return this.act(field, (found) => found.fill(value));
  }

  async act(found: Locator, work: (found: Locator) => Promise<unknown>): Promise<void> {
    this.actions++;
    await work(found);
  }
}

await describeWithServer('opensearch', (server) => {
  // The server is shared, so the test uses an index of its name.
  const index = 'tutorial-products';
  const here = (command: string) =>
    command.replaceAll('http://localhost:9200', server.url).replace(/(?<=\/|index: )products\b(?!\.csv)/, index);

  it('the tutorial leads from an empty service to a changed config in OpenSearch, as each step says', async () => {
    // As `npm start`: with the examples as presets, and nothing else.
    const directory = directoryWith({
      'service.yml': `server: { host: 127.0.0.1, port: 0 }\nstorage: { type: memory }\npresetConfig: { configDirectoryPath: "${join(repository, 'examples')}" }\n`,
    });
    const mine = join(directory, 'products.csv');
    writeFileSync(mine, CSV);
    const { url } = await serve(directory);
    const page = await openPage(url);
    const reader = new Reader(page);
    const field = (name: RegExp | string) => page.getByLabel(name);
    const curl = () =>
      JSON.parse(execFileSync('sh', ['-c', here(blockOf('sh', 'curl'))], { stdio: 'pipe' }).toString());

    // 2. Load the file.
    await reader.press('Load a CSV or JSON file into a search engine');
    const input = field('A CSV or JSON file of this computer');
    await reader.act(input, (found) => found.setInputFiles(mine));
    const file = await uploadedPath(page);
    await reader.act(field('Id of a document'), (id) => id.selectOption('sku'));
    reader.followed.add('Keep');
    await reader.act(field('Keep tags'), (keep) => keep.uncheck());
    await reader.enter(field('Name of name in the index'), 'title');
    await reader.act(field('Type of price'), (type) => type.selectOption('number'));
    reader.followed.add('OpenSearch');
    await reader.act(page.getByRole('radio', { name: 'OpenSearch' }), (radio) => radio.check());
    await reader.enter(field('Address'), server.url);
    await reader.enter(page.getByRole('textbox', { name: /^Index/ }), index);
    await reader.press('Check the connection');
    await page.getByText('can read the file and write').waitFor();
    await reader.press('Save and run');
    expect(reader.actions).toBeLessThanOrEqual(12);

    // 3. Watch the run.
    await page.waitForURL(`${url}/runs/*`);
    await expect.poll(() => page.title()).toContain('⚠ Succeeded');
    await reader.press('Failures');
    await page.getByText(/"price": ?"ask us"/).waitFor();
    const failed = page.url();
    await reader.press('Run these … documents again');
    await page.waitForURL((address) => address.href !== failed);
    await expect.poll(() => page.title()).toMatch(/Failed|⚠ Succeeded/);

    // 4. Search.
    reader.actions++;
    await expect
      .poll(() => curl().hits.hits.map(hit))
      .toEqual([['a-1', { id: 'a-1', sku: 'a-1', title: 'Oak chair', price: 40.5 }]]);

    // 5. Change what happens to a document.
    reader.followed.add('config');
    await reader.press('Configs');
    await reader.press('products');
    const editor = page.getByRole('textbox', { name: 'Config' });
    await reader.act(editor, (found) => found.click());
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await page.keyboard.insertText('connectors: [{ name: ');
    await page.locator('.cm-lintRange-error').first().waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    reader.actions++;
    await page.keyboard.insertText(here(blockOf('hocon', 'connectors')).replace('.headrace/files/products.csv', file));
    await page.getByRole('link', { name: 'valid', exact: true }).waitFor();
    await page.keyboard.press('Control+ ');
    await page.locator('.cm-tooltip-autocomplete').waitFor();
    await page.keyboard.press('Escape');
    await reader.press('Preview');
    await reader.act(page.getByRole('button', { name: /^tags SplitFieldValues/ }), (stage) => stage.click());
    await page.getByRole('row', { name: /^changed tags.*\["wood","chair"\]/ }).waitFor();
    await reader.act(page.getByRole('link', { name: 'Editor' }), (link) => link.click());
    reader.followed.add('Preview while you edit');
    await reader.act(page.getByText('Preview while you edit'), (found) => found.click());
    await page.getByRole('button', { name: /^tags SplitFieldValues/ }).waitFor();
    await reader.press('Save');
    await page.getByText('version 2').waitFor();
    await reader.press('Run');
    await page.waitForURL(`${url}/runs/*`);
    await expect.poll(() => page.title()).toContain('Succeeded ');
    const changed = { id: 'a-1', sku: 'a-1', name: 'Oak chair', tags: ['wood', 'chair'], price: '40.5' };
    await expect.poll(() => curl().hits.hits.map(hit)).toEqual([['a-1', changed]]);

    // What next.
    await reader.press('Compare');
    await page.getByRole('heading', { name: 'Compare runs' }).waitFor();
    await page.goto(`${url}/configs/products`);
    await reader.press('Schedule');
    await page.getByText('Every day at 03:00').waitFor();

    expect(LABELS.filter((label) => !reader.followed.has(label))).toEqual([]);
    expect(reader.actions).toBeLessThanOrEqual(30);
  });
});

/** Returns the code block of the tutorial that begins with a word. */
function blockOf(language: string, word: string): string {
  const found = tutorial?.blocks.find((block) => block.language === language && block.text.startsWith(word));
  return found?.text ?? `The tutorial has no block with ${word}`;
}

/** Returns where the service has put the file. */
async function uploadedPath(page: Page): Promise<string> {
  await page.getByLabel('Id of a document').waitFor();
  return page.getByLabel(/^Path of/).inputValue();
}

function hit({ _id, _source }: { _id: string; _source: Record<string, unknown> }): unknown {
  const { run_id, ...document } = _source;
  return [_id, document];
}
