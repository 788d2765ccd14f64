import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { finished, kill, serve, serviceDirectory, startRun, upload } from '../service/served.ts';
import { openPage } from './browser.ts';
import { expectNoGaps } from './scrolling.ts';
import { FAILURES, RUNS, seedStore } from './seeded-store.ts';

/** What a page may receive in one answer, and how many rows may be in the document. */
const MAX_ANSWER_BYTES = 1024 * 1024;
const MAX_ROWS = 100;
/** The answers that all runs need. The failed documents need more. */
const ANSWERS = RUNS / 200;

const CONFIG = `
connectors: [{ class: SequenceConnector, name: numbers, pipeline: main, numDocs: 3 }]
pipelines: [{ name: main, stages: [] }]
indexer { type: Nop }
`;

describe('a service with 10,000 runs and 100,000 failed documents', () => {
  let url: string;
  let runId: string;

  beforeAll(async () => {
    const directory = serviceDirectory();
    const first = await serve(directory);
    ({ runId } = await startRun(first.url, await upload(first.url, CONFIG)));
    await finished(first.url, runId);
    await kill(first);
    seedStore(join(directory, 'store'), runId);
    ({ url } = await serve(directory));
  });

  it('shows its runs in bounded answers, with few rows in the document, down to the oldest one', async () => {
    const page = await openPage(`${url}/runs`, { script: KEEP_SIZES });
    const table = page.getByRole('table', { name: 'Runs' });
    await table.waitFor();
    const rows = () => table.getByRole('row').count();
    // Each step scrolls to the end of the loaded part, where the page loads more.
    const loaded = async () => Number(await table.getAttribute('aria-rowcount')) - 1;
    for (let before = 0; before < RUNS; before = await loaded()) {
      await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
      await expect.poll(loaded).toBeGreaterThan(before);
      expect(await rows()).toBeLessThanOrEqual(MAX_ROWS);
    }
    await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
    await table.locator(`a[href="/runs/${runId}"]`).waitFor();
    expect(await rows()).toBeLessThanOrEqual(MAX_ROWS);
    await expectNoGaps(page, '[role=rowgroup]', '[role=row]');
    const sizes = await answerSizes(page);
    expect(sizes.length).toBeGreaterThanOrEqual(ANSWERS);
    expect(Math.max(...sizes)).toBeLessThan(MAX_ANSWER_BYTES);
  });

  it('groups its failed documents, and scrolls through a group, in bounded answers, with few rows in the document', async () => {
    const page = await openPage(`${url}/runs/${runId}/failures`, { script: KEEP_SIZES });
    const groups = page.locator('.groups > li');
    await expect.poll(() => groups.count()).toBe(3);
    const [half, quarter] = [(FAILURES / 2).toLocaleString('en-GB'), (FAILURES / 4).toLocaleString('en-GB')];
    expect((await groups.locator('.size').allTextContents()).sort()).toEqual([quarter, quarter, half].sort());
    const group = groups.filter({ hasText: half });
    await group.locator('summary').first().click();
    await group.getByText(`1 of ${half}`).waitFor();
    const rows = group.getByRole('group', { name: 'Failed documents' });
    const list = rows.locator('ol');
    const loaded = async () => (await list.evaluate((element) => element.clientHeight)) / 32;
    for (let before = 0; before < FAILURES / 2; before = await loaded()) {
      await rows.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await expect.poll(loaded).toBeGreaterThan(before);
      expect(await list.locator('li').count()).toBeLessThanOrEqual(MAX_ROWS);
    }
    await expectNoGaps(page, 'details[open] .rows', 'li');
    // A key selects the last one, and its document is loaded.
    await rows.getByRole('button').last().focus();
    await page.keyboard.press('End');
    await group.getByText(`${half} of ${half}`).waitFor();
    await group.getByRole('region', { name: 'Content of the document' }).getByText('"doc-').waitFor();
    await expect.poll(() => rows.locator('[aria-pressed=true]').textContent()).toContain('reason B');
    await page.keyboard.press('Home');
    await group.getByText(`1 of ${half}`).waitFor();
    await group.getByRole('button', { name: `Run these ${half} documents again` }).waitFor();
    const sizes = await answerSizes(page);
    expect(sizes.length).toBeGreaterThanOrEqual(ANSWERS);
    expect(Math.max(...sizes)).toBeLessThan(MAX_ANSWER_BYTES);
  });
});

/**
 * Lets the page keep the sizes of all its answers. Playwright could be asked for the contents, but Chromium has thrown
 * some of them away by then.
 */
const KEEP_SIZES = 'performance.setResourceTimingBufferSize(10_000)';

/** Returns the sizes of all answers of the API. */
async function answerSizes(page: Page): Promise<readonly number[]> {
  const answers = await page.evaluate<{ name: string; decodedBodySize: number }[]>(
    `performance.getEntriesByType('resource').map(({ name, decodedBodySize }) => ({ name, decodedBodySize }))`,
  );
  return answers
    .filter(({ name }) => name.includes('/v1/') && !name.endsWith('/events'))
    .map(({ decodedBodySize }) => decodedBodySize);
}
