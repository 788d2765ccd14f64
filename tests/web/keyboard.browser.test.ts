import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { serve, serviceDirectory } from '../service/served.ts';
import { openPage } from './browser.ts';
import { PAGES, serviceWithEveryPage } from './every-page.ts';
import { SWEEP_SCRIPT, sweepKeyboard } from './keyboard-sweep.ts';

/** The links and buttons around every page. */
const AROUND = 8;

let addressOf: (path: string) => string;

beforeAll(async () => {
  addressOf = await serviceWithEveryPage();
});

async function open(path: string, shows: string): Promise<Page> {
  const page = await openPage(addressOf(path), { script: SWEEP_SCRIPT });
  await page.getByText(shows).first().waitFor();
  return page;
}

async function expectKeyboard(page: Page): Promise<void> {
  const { problems, controls } = await sweepKeyboard(page);
  expect(problems).toEqual([]);
  expect(controls).toBeGreaterThan(AROUND);
}

describe('the keyboard reaches, shows and activates every control', () => {
  it.each(PAGES)('of %s', async (_name, path, shows) => {
    await expectKeyboard(await open(path, shows));
  });

  it('of the editor with a selected box, and of the panel that starts a run', async () => {
    const page = await open('/configs/CONFIG', 'SequenceConnector');
    await page.getByRole('button', { name: /^ApplyJavascript/ }).click();
    await page.getByRole('button', { name: 'Turn off' }).waitFor();
    await page.getByRole('button', { name: 'Run with…' }).click();
    await page.getByLabel('Overrides').waitFor();
    await expectKeyboard(page);
  });

  it('of a new config, and of the panel that saves it', async () => {
    const page = await open('/configs/new', 'Editor');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByLabel('Description').waitFor();
    await expectKeyboard(page);
  });

  it('of a run with a chart, which has nothing to click', async () => {
    const page = await open('/system', 'Checks');
    const items = [0, 1, 2, 3].map((time) => ({ time, finished: 10 * time, failed: 0, pending: 0 }));
    await page.route('**/samples', (route) => route.fulfill({ json: { items } }));
    await page.goto(addressOf('/runs/RUN'));
    await page.getByRole('img', { name: /Documents per second/ }).waitFor();
    await expectKeyboard(page);
  });

  it('of the guided form with a file', async () => {
    const file = join(serviceDirectory(), 'products.csv');
    writeFileSync(file, 'sku,name,price\n1,cup,3\n2,jug,5\n');
    const page = await open('/load', 'Path of a CSV or JSON file');
    await page.getByLabel('Path of a CSV or JSON file').fill(file);
    await page.getByRole('button', { name: 'Read the file' }).click();
    await page.getByText('4. Save and run').waitFor();
    await expectKeyboard(page);
  });

  it('of the page that signs in', async () => {
    const { url } = await serve(
      serviceDirectory('auth: { type: basicAuth, users: [{ name: rita, password: looks-only, role: reader }] }\n'),
    );
    const page = await openPage(url, { script: SWEEP_SCRIPT });
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const { problems, controls } = await sweepKeyboard(page);
    expect({ problems, controls }).toEqual({ problems: [], controls: 5 });
    await page.getByLabel('User', { exact: true }).focus();
    await page.keyboard.type('rita');
    await page.keyboard.press('Tab');
    await page.keyboard.type('looks-only');
    await page.keyboard.press('Enter');
    await page.getByText('rita (reader)').waitFor();
  });
});

it('the sweep finds controls that only a mouse can use', async () => {
  const page = await open('/system', 'Checks');
  await page.evaluate(`
    const main = document.querySelector('main');
    for (const text of ['plain', 'hidden from Tab', 'without a frame', 'deaf']) {
      const control = document.createElement(text === 'plain' ? 'div' : 'button');
      control.textContent = text;
      control.addEventListener('click', () => {});
      if (text === 'hidden from Tab') control.tabIndex = -1;
      if (text === 'without a frame') control.style.outline = 'none';
      if (text === 'deaf') control.onkeydown = (event) => { if (event.key !== 'Tab') event.preventDefault(); };
      main.append(control);
    }`);
  expect((await sweepKeyboard(page)).problems.toSorted()).toEqual([
    'does nothing on Enter and Space: button deaf',
    'is not reached by Tab: button hidden from Tab',
    'is not reached by Tab: div plain',
    'shows no focus: button without a frame',
  ]);
});

/** Every dialog, with the page and the button that opens it. */
const DIALOGS: readonly (readonly [dialog: string, path: string, button: string])[] = [
  ['Search', '/', 'Search /'],
  ['Delete this config?', '/configs/CONFIG', 'Delete'],
  ['Remove this schedule?', '/configs/CONFIG/schedule', 'Remove'],
  ['Choose the connector', '/configs/CONFIG', 'Add connector'],
  ['Choose the stage', '/configs/CONFIG', 'Add stage to main'],
  ['Choose the indexer', '/configs/CONFIG', 'Change the indexer'],
];

describe('a dialog keeps the focus, and Escape returns it to the button', () => {
  it.each(DIALOGS)('%s', async (name, path, label) => {
    const page = await openPage(addressOf(path));
    const button = page.getByRole('button', { name: label, exact: true });
    await button.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name });
    await dialog.waitFor();
    await dialog.locator(':focus').waitFor();
    for (let step = 0; step < 6; step++) {
      await page.keyboard.press('Tab');
      // After the last control of the dialog, the browser itself has the focus.
      expect(await page.locator('body :focus').count()).toBe(await dialog.locator(':focus').count());
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await withFocus(button).waitFor();
  });

  it.each([
    ['Run with other values', '/configs/CONFIG', 'Run with…'],
    ['Save the new config', '/configs/new', 'Save'],
    ['Details of the config', '/configs/CONFIG', 'Details…'],
  ])('and the panel "%s" takes the focus, and returns it when it is cancelled', async (name, path, label) => {
    const page = await openPage(addressOf(path));
    const button = page.getByRole('button', { name: label, exact: true });
    await button.focus();
    await page.keyboard.press('Enter');
    const panel = page.getByRole('form', { name });
    await withFocus(panel.getByRole('textbox').first()).waitFor();
    await panel.getByRole('button', { name: 'Cancel' }).focus();
    await page.keyboard.press('Enter');
    await panel.waitFor({ state: 'detached' });
    await withFocus(button).waitFor();
  });
});

/** The element, while it has the focus. */
function withFocus(locator: Locator): Locator {
  return locator.and(locator.page().locator(':focus'));
}
