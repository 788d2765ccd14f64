import { beforeAll, describe, expect, it } from 'vitest';
import { finished, startRun, upload } from '../service/served.ts';
import { accessibilityProblems } from './accessibility.ts';
import { openPage } from './browser.ts';
import { serviceForFile } from './service.ts';

/** The maximum size of the first page without the editor, compressed. */
const FIRST_LOAD_BYTES = 120 * 1024;

const CONFIG = `
connectors: [{ class: SequenceConnector, name: numbers, pipeline: main, numDocs: 5 }]
pipelines: [{ name: main, stages: [{ class: ApplyJavascript, name: picky, script: "if (doc.id == 3) throw new Error('no')" }] }]
indexer { class: NopIndexer }
`;

/** Every page, with a text that it shows when it is complete. */
const PAGES: readonly (readonly [name: string, path: string, shows: string])[] = [
  ['the overview', '/', 'Latest'],
  ['the guided form', '/load', 'Path of a CSV or JSON file'],
  ['the configs', '/configs', 'Changed'],
  ['the editor', '/configs/CONFIG', 'SequenceConnector'],
  ['the preview', '/configs/CONFIG/preview', 'picky'],
  ['the runs of a config', '/configs/CONFIG/runs', 'Succeeded with failures'],
  ['the schedule of a config', '/configs/CONFIG/schedule', 'Every day at 03:00'],
  ['the versions of a config', '/configs/CONFIG/versions', 'oldest stored version'],
  ['the runs', '/runs', 'Succeeded with failures'],
  ['a run', '/runs/RUN', 'RUN SUMMARY'],
  ['the stages of a run', '/runs/RUN/stages', 'Share of the time'],
  ['the failures of a run', '/runs/RUN/failures', 'HR_'],
  ['the log of a run', '/runs/RUN/log?level=info', 'Starting run'],
  ['the config of a run', '/runs/RUN/config', 'Version 1'],
  ['the comparison of runs', '/runs/compare?a=RUN&b=RUN', 'Mean time per document'],
  ['the components', '/components', 'SplitFieldValues'],
  ['a component', '/components/SplitFieldValues', 'Splits the texts of a field'],
  ['the system', '/system', 'Checks'],
  ['an unknown address', '/runs/a/b/c', 'This page does not exist'],
];

describe('every page', () => {
  let url: string;
  let ids: { configId: string; runId: string };

  beforeAll(async () => {
    url = await serviceForFile();
    const configId = await upload(url, CONFIG);
    const { runId } = await startRun(url, configId);
    await finished(url, runId);
    await fetch(`${url}/v1/config/${configId}/schedule`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{"cron": "0 3 * * *"}',
    });
    ids = { configId, runId };
  });

  const addressOf = (path: string) => url + path.replace('CONFIG', ids.configId).replaceAll('RUN', ids.runId);

  it.each(PAGES)('%s is accessible, in light and dark', async (_name, path, shows) => {
    const page = await openPage(addressOf(path));
    await page.getByText(shows).first().waitFor();
    expect(await accessibilityProblems(page)).toEqual({ light: [], dark: [] });
    await page.context().close();
  });

  it.each(PAGES)('%s fits the width of a phone', async (_name, path, shows) => {
    const page = await openPage(addressOf(path), { viewport: { width: 360, height: 740 } });
    await page.getByText(shows).first().waitFor({ state: 'attached' });
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(360);
    await page.context().close();
  });

  it('the overview sends one request each time while nothing changes', async () => {
    const page = await openPage(`${url}/system`);
    await page.clock.install();
    await page.goto(url);
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
    await page.context().close();
  });

  it('the first page loads less than 120 KB before the editor', async () => {
    const page = await openPage(url);
    await page.getByText('Latest').waitFor();
    const total = await page.evaluate(
      `performance.getEntries().reduce((sum, { encodedBodySize = 0 }) => sum + encodedBodySize, 0)`,
    );
    expect(total).toBeGreaterThan(20 * 1024);
    expect(total).toBeLessThan(FIRST_LOAD_BYTES);
  });
});
