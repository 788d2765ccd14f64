import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { kill, serve, serviceDirectory } from '../service/served.ts';
import { openPage } from './browser.ts';
import { expectNoGaps } from './scrolling.ts';
import { CONFIGS, seedConfigs } from './seeded-store.ts';

const PAGE_SIZE = 200;
/** Rows that fit on the screen, and some above and below. */
const MAX_ROWS = 60;

let url: string;

beforeAll(async () => {
  const directory = serviceDirectory();
  const empty = await serve(directory);
  const headers = { 'content-type': 'application/hocon' };
  const first = `${empty.url}/v1/config/config-00?description=Number+0`;
  expect((await fetch(first, { method: 'PUT', headers, body: 'a: 1' })).status).toBe(201);
  await kill(empty);
  seedConfigs(join(directory, 'store'));
  url = (await serve(directory)).url;
});

it('10,000 configs are shown a part at a time, and loaded while somebody scrolls', async () => {
  const page = await openPage(`${url}/system`);
  const requests = listRequests(page);
  const isLost = lossOf(page);
  await page.getByRole('link', { name: 'Configs' }).click();
  await page.getByRole('row', { name: /config-9999/ }).waitFor();
  expect(furtherParts(requests)).toEqual([]);
  expect(await page.getByRole('row').count()).toBeLessThan(MAX_ROWS);
  const table = page.getByRole('table', { name: 'Configs' });
  for (let loaded = PAGE_SIZE; loaded < CONFIGS; loaded += PAGE_SIZE) {
    await expect.poll(() => table.getAttribute('aria-rowcount')).toBe(String(loaded + 1));
    await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
  }
  await expect.poll(() => table.getAttribute('aria-rowcount')).toBe(String(CONFIGS + 1));
  await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
  await page.getByRole('link', { name: 'config-00', exact: true }).waitFor();
  expect(await page.getByRole('row').count()).toBeLessThan(MAX_ROWS);
  const parts = furtherParts(requests);
  expect(new Set(parts).size).toBe(CONFIGS / PAGE_SIZE - 1);
  // Each part is requested once, unless the service gave no answer for five seconds: then it is requested again.
  if (!isLost()) expect(parts.length).toBe(CONFIGS / PAGE_SIZE - 1);
  await expectNoGaps(page, '[role=rowgroup]', '[role=row]');
});

it('a search among 10,000 configs is one request, and finds names and descriptions', async () => {
  const page = await openPage(`${url}/configs?q=number+4321`);
  await page.getByRole('row', { name: /config-4321/ }).waitFor();
  const requests = listRequests(page);
  expect(await page.getByRole('row').count()).toBe(2);
  await page.getByLabel('Search the configs').fill('CONFIG-77');
  await page.getByRole('row', { name: /config-7799/ }).waitFor();
  await page.getByRole('row', { name: /config-4321/ }).waitFor({ state: 'detached' });
  // While nothing is entered, the page requests its list again every 10 seconds.
  const searches = new Set(requests.map(({ searchParams }) => String(searchParams)));
  expect([...searches].filter((query) => !query.includes('4321'))).toEqual(['limit=200&content=false&q=CONFIG-77']);
});

/** Returns whether the page has missed answers of the service since this call: then it asks whether the service is ready. */
function lossOf(page: Page): () => boolean {
  let isLost = false;
  page.on('request', (request) => {
    isLost ||= request.url().endsWith('/v1/readyz');
  });
  return () => isLost;
}

/** Returns the cursors of all parts but the first. While the first one is the only one, it is requested again and again. */
function furtherParts(requests: readonly URL[]): string[] {
  return requests.flatMap(({ searchParams }) => searchParams.get('after') ?? []);
}

/** Returns the requests for lists of configs that the page sends from now on. */
function listRequests(page: Page): URL[] {
  const found: URL[] = [];
  page.on('request', (request) => {
    const address = new URL(request.url());
    if (address.pathname === '/v1/config') found.push(address);
  });
  return found;
}
