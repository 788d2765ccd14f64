import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accessibilityProblems } from './accessibility.ts';
import { openPage } from './browser.ts';
import { serviceForFile } from './service.ts';

const CONFIG = `connectors: [{ name: numbers, class: SequenceConnector, pipeline: main, numDocs: 10 }]
pipelines: [{
  name: main
  stages: [
    # The title comes first.
    { class: Concatenate, dest: title, formatString: "Document {id}" }
    { class: TrimWhitespace, fields: [title] } # spaces
  ]
}]
indexer { type: Nop }
`;

const TWO_PIPELINES = `connectors: [
  { name: numbers, class: SequenceConnector, pipeline: main, numDocs: 10 }
  { name: letters, class: SequenceConnector, pipeline: other, numDocs: 10 }
  { name: pause, class: SleepConnector, duration: 10 }
]
pipelines: [{ name: main, stages: [] }, { name: other, stages: [{ class: RemoveEmptyFields }] }]
indexer { type: Nop }
`;

describe('the picture of a config', () => {
  let url: string;

  beforeAll(async () => {
    url = await serviceForFile();
  });

  it('adds a stage with its required parameters, and keeps the comments of the text', async () => {
    const page = await openConfig(url, 'adding');
    await page.getByRole('button', { name: 'Add stage to main' }).click();
    await page.getByRole('combobox', { name: 'Search the stages' }).fill('splitfield');
    await page.getByRole('option', { name: /^SplitFieldValues/ }).click();
    await expect.poll(() => textOf(page)).toMatch(/# spaces.*class: SplitFieldValues.*delimiter/s);
    expect(await textOf(page)).toContain('# The title comes first.');
    await page.getByRole('form', { name: 'Parameters of SplitFieldValues' }).waitFor();
  });

  it('adds the first pipeline and indexer of an empty config', async () => {
    const page = await openPage(`${url}/configs/new`);
    await page.getByRole('textbox', { name: 'Config' }).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await page.getByRole('button', { name: 'Add pipeline' }).click();
    await page.getByRole('button', { name: 'Add stage to main' }).waitFor();
    await page.getByRole('button', { name: 'Set the indexer' }).click();
    await page.getByRole('combobox', { name: 'Search the indexers' }).fill('nop');
    await page.getByRole('option', { name: /^NopIndexer/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => textOf(page)).toMatch(/pipelines.*main.*indexer.*Nop/s);
  });

  it('fits its place with long names', async () => {
    const name = 'long'.repeat(25);
    const page = await openPage(`${url}/configs/new`);
    await page.getByRole('textbox', { name: 'Config' }).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await page.keyboard.insertText(
      `connectors: [{ class: SequenceConnector, name: ${name}, pipeline: ${name}, numDocs: 1 }]\npipelines: [{ name: ${name}, stages: [{ class: TrimWhitespace, name: ${name}, fields: [a] }] }]\nindexer { type: Nop }`,
    );
    const picture = page.getByRole('region', { name: 'Picture of the config' });
    await picture.getByRole('button', { name: `Add stage to ${name}` }).waitFor();
    await expect.poll(() => picture.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  });

  it('is reached from the text with Escape and Tab', async () => {
    const page = await openConfig(url, 'leaving');
    await page.getByRole('textbox', { name: 'Config' }).click();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    await expect.poll(() => page.evaluate('document.activeElement.className')).not.toContain('cm-content');
  });

  it('moves a stage by keyboard, with its comments, and undoes the move', async () => {
    const page = await openConfig(url, 'moving');
    await box(page, 'TrimWhitespace').focus();
    await page.keyboard.press('Alt+ArrowUp');
    await expect.poll(() => textOf(page)).toMatch(/TrimWhitespace.*# spaces.*# The title.*Concatenate/s);
    await page.getByRole('textbox', { name: 'Config' }).click();
    await page.keyboard.press('Control+z');
    await expect.poll(() => textOf(page)).toMatch(/# The title.*Concatenate.*TrimWhitespace.*# spaces/s);
    await expect.poll(() => page.getByText('not saved').count()).toBe(0);
  });

  it('turns a stage off and on, and removes it', async () => {
    const page = await openConfig(url, 'switching');
    await box(page, 'TrimWhitespace').click();
    await page.getByRole('button', { name: 'Turn off' }).click();
    await expect.poll(() => textOf(page)).toMatch(/TrimWhitespace.*enabled: ?false/s);
    await page.getByRole('button', { name: 'Turn on' }).click();
    await expect.poll(() => textOf(page)).not.toContain('enabled');
    // The focus is on a button, not in the editor.
    await page.keyboard.press('Control+z');
    await expect.poll(() => textOf(page)).toContain('enabled');
    await page.keyboard.press('Control+Shift+z');
    await expect.poll(() => textOf(page)).not.toContain('enabled');
    await page.getByRole('button', { name: 'Remove' }).click();
    await expect.poll(() => textOf(page)).not.toContain('TrimWhitespace');
    await page.keyboard.press('Control+z');
    await expect.poll(() => textOf(page)).toContain('TrimWhitespace');
    await page.keyboard.press('Control+Shift+z');
    await expect.poll(() => textOf(page)).not.toContain('TrimWhitespace');
    expect(await textOf(page)).toContain('# The title comes first.');
  });

  it('moves a stage by drag, and adds one between two others', async () => {
    const page = await openConfig(url, 'dragging');
    await box(page, 'TrimWhitespace').dragTo(box(page, 'Concatenate'));
    await expect.poll(() => textOf(page)).toMatch(/TrimWhitespace.*Concatenate/s);
    // The moved stage stays selected.
    await expect.poll(() => box(page, 'TrimWhitespace').getAttribute('aria-pressed')).toBe('true');
    await page.getByRole('button', { name: 'Add stage here' }).click();
    await page.getByRole('combobox', { name: 'Search the stages' }).fill('removeempty');
    await page.getByRole('option', { name: /^RemoveEmptyFields/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => textOf(page)).toMatch(/TrimWhitespace.*RemoveEmptyFields.*Concatenate/s);
  });

  it('moves connectors, and draws lines from each connector to its pipeline and the indexer', async () => {
    const page = await openConfig(url, 'connected', TWO_PIPELINES);
    const lines = page.locator('svg path.line');
    // Connectors to pipelines: two. The connector without a pipeline has none. Pipelines to the indexer: two.
    await expect.poll(() => lines.count()).toBe(4);
    await box(page, 'SleepConnector').getByText('no pipeline').waitFor();
    await box(page, 'SequenceConnector numbers').focus();
    await page.keyboard.press('Alt+ArrowDown');
    await page.keyboard.press('Alt+ArrowDown');
    await expect.poll(() => textOf(page)).toMatch(/letters.*pause.*numbers/s);
    await expect.poll(() => lines.count()).toBe(4);
    expect(await accessibilityProblems(page)).toEqual({ light: [], dark: [] });
  });

  it('stays where it is on a phone when a box is selected and moved', async () => {
    const page = await openConfig(url, 'phone');
    await page.setViewportSize({ width: 390, height: 700 });
    await box(page, 'TrimWhitespace').scrollIntoViewIfNeeded();
    const before = await page.evaluate('window.scrollY');
    await box(page, 'TrimWhitespace').click();
    await page.getByRole('form', { name: 'Parameters of TrimWhitespace' }).waitFor();
    await page.getByRole('button', { name: 'Turn off' }).click();
    await expect.poll(() => textOf(page)).toContain('enabled');
    expect(before).toBeGreaterThan(100);
    expect(await page.evaluate('window.scrollY')).toBeGreaterThanOrEqual(before as number);
  });

  it('edits parameters in a form, and follows the cursor of the text', async () => {
    const page = await openConfig(url, 'forms');
    await page.getByText('formatString').first().click();
    await expect.poll(() => box(page, 'Concatenate').getAttribute('aria-pressed')).toBe('true');
    const form = page.getByRole('form', { name: 'Parameters of Concatenate' });
    await form.getByLabel(/^formatString/).fill('Number {id}');
    await page.keyboard.press('Tab');
    await expect.poll(() => textOf(page)).toContain('formatString: "Number {id}"');

    await box(page, 'SequenceConnector').click();
    await page
      .getByRole('form', { name: 'Parameters of SequenceConnector' })
      .getByLabel(/^numDocs/)
      .fill('many');
    await page.keyboard.press('Tab');
    await page.getByText('This is not a number.').waitFor();
    expect(await textOf(page)).toContain('numDocs: 10');

    // Another box has another form.
    await box(page, 'TrimWhitespace').click();
    await expect.poll(() => page.getByText('This is not a number.').count()).toBe(0);
    await box(page, 'SequenceConnector').click();
    await expect.poll(() => page.getByLabel(/^numDocs/).inputValue()).toBe('10');
  });

  it('keeps the comments inside a list that is edited in a form', async () => {
    const fields = 'fields: [\n      title # of a book\n    ]';
    const page = await openConfig(url, 'commented', CONFIG.replace('fields: [title]', fields));
    await box(page, 'TrimWhitespace').click();
    const form = page.getByRole('form', { name: 'Parameters of TrimWhitespace' });
    await form.getByLabel(/^fields/).fill('title\nauthor');
    await page.keyboard.press('Tab');
    await expect.poll(() => textOf(page)).toMatch(/title # of a book\s*author/);
  });
});

async function openConfig(url: string, name: string, text = CONFIG): Promise<Page> {
  const headers = { 'content-type': 'application/hocon' };
  const stored = await fetch(`${url}/v1/config/${name}`, { method: 'PUT', headers, body: text });
  expect(stored.status).toBe(201);
  const page = await openPage(`${url}/configs/${name}`);
  await page.getByRole('region', { name: 'Picture of the config' }).waitFor();
  return page;
}

function box(page: Page, name: string) {
  return page
    .getByRole('region', { name: 'Picture of the config' })
    .getByRole('button', { name: new RegExp(`^${name}`) });
}

async function textOf(page: Page): Promise<string | null> {
  return page.locator('.cm-content').textContent();
}
