import { beforeAll, describe, expect, it } from 'vitest';
import { accessibilityProblems } from './accessibility.ts';
import { openPage } from './browser.ts';
import { PAGES, serviceWithEveryPage } from './every-page.ts';

/** The maximum size of the first page without the editor, compressed. */
const FIRST_LOAD_BYTES = 120 * 1024;

describe('every page', () => {
  let addressOf: (path: string) => string;

  beforeAll(async () => {
    addressOf = await serviceWithEveryPage();
  });

  it.each(PAGES)('%s is accessible, in light and dark', async (_name, path, shows) => {
    const page = await openPage(addressOf(path));
    await page.getByText(shows).first().waitFor();
    expect(await accessibilityProblems(page)).toEqual({ light: [], dark: [] });
  });

  it.each(PAGES)('%s fits the width of a phone, and is accessible there', async (_name, path, shows) => {
    const page = await openPage(addressOf(path), { viewport: { width: 360, height: 740 } });
    await page.getByText(shows).first().waitFor({ state: 'attached' });
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(360);
    expect(await accessibilityProblems(page)).toEqual({ light: [], dark: [] });
  });

  it.each([
    ['/configs/nope', 'There is no config nope'],
    ['/runs/nope', 'There is no run nope'],
    ['/runs/a/b/c', 'This page does not exist'],
  ])('%s has a title, also after another page, and says that it does not exist', async (path, title) => {
    const page = await openPage(addressOf('/system'));
    await page.getByRole('heading', { name: 'Checks' }).waitFor();
    await page.evaluate(`history.pushState({}, '', '${path}'); dispatchEvent(new PopStateEvent('popstate'))`);
    await page.getByRole('heading', { name: title }).waitFor();
    expect(await page.title()).toBe(`${title} · Headrace`);
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    expect(await accessibilityProblems(page)).toEqual({ light: [], dark: [] });
  });

  it('the colours are chosen with a button, and kept', async () => {
    const page = await openPage(addressOf('/system'), { colorScheme: 'light' });
    const background = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    const light = await background();
    await page.getByRole('button', { name: 'Colours: system' }).click();
    await page.getByRole('button', { name: 'Colours: light' }).click();
    await page.getByRole('button', { name: 'Colours: dark' }).waitFor();
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByRole('button', { name: 'Colours: dark' }).click();
    await page.getByRole('button', { name: 'Colours: system' }).waitFor();
    expect(await background()).toBe(light);
  });

  it('the overview sends one request each time while nothing changes', async () => {
    const page = await openPage(addressOf('/system'));
    await page.clock.install();
    await page.goto(addressOf('/'));
    await page.getByRole('heading', { name: 'Latest' }).waitFor();
    await page.getByText('Nothing is running.').waitFor();
    const queries: string[] = [];
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname === '/v1/run') queries.push(search);
    });
    for (let times = 1; times <= 3; times++) {
      const answered = page.waitForResponse((response) => response.url().includes('/v1/run?'));
      await page.clock.runFor(2_000);
      await answered;
    }
    expect(new Set(queries)).toEqual(new Set(['?limit=8']));
  });

  it('the first page loads less than 120 KB before the editor', async () => {
    const page = await openPage(addressOf('/'));
    await page.getByText('Latest').waitFor();
    const total = await page.evaluate(
      `performance.getEntries().reduce((sum, { encodedBodySize = 0 }) => sum + encodedBodySize, 0)`,
    );
    expect(total).toBeGreaterThan(20 * 1024);
    expect(total).toBeLessThan(FIRST_LOAD_BYTES);
  });
});
