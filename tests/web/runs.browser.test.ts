import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closedPort } from '@headrace/testing/closed-port';
import { beforeAll, describe, expect, it } from 'vitest';
import { finished, kill, replace, serve, serviceDirectory, startRun, upload } from '../service/served.ts';
import { accessibilityProblems } from './accessibility.ts';
import { openPage } from './browser.ts';
import { serviceForFile } from './service.ts';

/** Three of five documents fail, for two reasons. */
const PICKY = `
connectors: [{ class: SequenceConnector, name: numbers, pipeline: main, numDocs: 5 }]
pipelines: [{
  name: main
  stages: [{ class: ApplyJavascript, name: picky, script: """
    if (doc.id == 3 || doc.id == 4) throw new Error("number " + doc.id + " is too large");
    if (doc.id == 0) throw new TypeError("zero is not allowed");
  """ }]
}]
indexer { class: NopIndexer }
`;

/** Runs until it is cancelled. */
const ENDLESS = `
connectors: [{ class: SequenceConnector, name: numbers, pipeline: main, numDocs: 1000000000 }]
pipelines: [{ name: main, stages: [{ class: ApplyJavascript, name: slow, script: "let n = 0; for (let i = 0; i < 20000; i++) n += i; doc.n = n" }] }]
indexer { type: Nop }
`;

describe('the pages of runs', () => {
  let url: string;

  beforeAll(async () => {
    url = await serviceForFile();
  });

  it('show why no document is finished while the search engine does not answer', async () => {
    // Nothing listens on this port.
    const config = `
      connectors: [{ class: SequenceConnector, name: numbers, pipeline: main, numDocs: 1 }]
      pipelines: [{ name: main, stages: [] }]
      indexer { type: OpenSearch, connectTimeout: 600000 }
      opensearch { url: "http://127.0.0.1:1", index: numbers }`;
    const { runId } = await startRun(url, await upload(url, config));
    const page = await openPage(`${url}/runs/${runId}`);
    await page.getByText('No document is finished yet').waitFor();
    await page.getByText(/connection refused.*Waiting up to 600 s/).waitFor();
    await page.getByRole('button', { name: 'Cancel run' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel run' }).click();
    await page.getByText('Cancelled', { exact: true }).waitFor();
    await expect.poll(() => page.getByText('No document is finished yet').count()).toBe(0);
  });

  it('show the notices of a run and of a preview with their first examples', async () => {
    const directory = serviceDirectory();
    const path = join(directory, 'cities.csv');
    writeFileSync(path, Buffer.from('id,city\n1,M\u00fcnchen\n2,Berlin\n', 'latin1'));
    const config = `
      connectors: [{ class: CSVConnector, name: cities, pipeline: main, path: ${JSON.stringify(path)} }]
      pipelines: [{ name: main, stages: [] }]
      indexer { type: Nop }`;
    const configId = await upload(url, config);
    const { runId } = await startRun(url, configId);
    await finished(url, runId);
    const page = await openPage(`${url}/runs/${runId}`);
    const expectNotice = async () => {
      const row = page.getByRole('row', { name: /bytes\.invalid/ });
      await row.getByText('changed', { exact: true }).waitFor();
      await row.getByText('cities', { exact: true }).waitFor();
      await row.getByText(`${path}:2: byte 0xFC is not UTF-8`).waitFor();
    };
    await expectNotice();
    expect(await accessibilityProblems(page)).toEqual({ light: [], dark: [] });
    await page.goto(`${url}/configs/${configId}/preview`);
    await expectNotice();
  });

  it('group the failed documents by reason, and run them again', async () => {
    const { runId } = await startRun(url, await upload(url, PICKY));
    const page = await openPage(`${url}/runs/${runId}`);
    await page.getByText('Succeeded with failures').waitFor();
    await page.getByRole('link', { name: /^Failures/ }).click();
    const groups = page.locator('.groups > li');
    await expect.poll(() => groups.count()).toBe(2);
    await expect.poll(() => groups.first().textContent()).toMatch(/2.*is too large/s);
    await groups.first().locator('summary').first().click();
    await groups.first().getByText('3', { exact: true }).first().click();
    await groups.first().getByText('"id": "3"').waitFor();

    await page.getByRole('link', { name: 'Stages' }).click();
    await page.getByRole('row', { name: /picky/ }).getByRole('link', { name: '3' }).click();
    await page.getByText('Only failures at picky').waitFor();

    await page.getByRole('button', { name: 'Retry failed documents' }).click();
    await expect.poll(() => page.url()).not.toContain(runId);
    await page.getByText('Retry of').waitFor();
  });

  it('run the documents of one reason again', async () => {
    const { runId } = await startRun(url, await upload(url, PICKY));
    await finished(url, runId);
    const page = await openPage(`${url}/runs/${runId}/failures`);
    await page.getByText('zero is not allowed').click();
    await page.getByRole('button', { name: 'Run this document again' }).click();
    await page.waitForURL((address) => !address.href.includes(runId));
    await page.getByText('Retry of').waitFor();
    await page.getByRole('link', { name: /^Failures/ }).click();
    await expect.poll(() => page.locator('.groups > li').count()).toBe(1);
  });

  it('compare two runs: numbers, config, stages and failures, with both in the address', async () => {
    const configId = await upload(url, PICKY);
    const first = await startRun(url, configId);
    await finished(url, first.runId);
    await replace(url, configId, PICKY.replace('numDocs: 5', 'numDocs: 4'));
    const second = await startRun(url, configId);
    await finished(url, second.runId);
    const page = await openPage(`${url}/runs/${second.runId}`);
    await page.getByRole('link', { name: 'Compare' }).click();
    // The page chooses the run before.
    await page.waitForURL(`${url}/runs/compare?b=${second.runId}&a=${first.runId}`);
    await page.getByRole('row', { name: /^Read 5 4 −20 %/ }).waitFor();
    await page.getByText('connectors[0].numDocs').waitFor();
    await page.getByRole('row', { name: /^picky ApplyJavascript/ }).waitFor();
    await page.getByRole('row', { name: /is too large.* 2 1 −50 %/ }).waitFor();
    await page.getByRole('button', { name: 'Swap' }).click();
    await page.getByRole('row', { name: /^Read 4 5 \+25 %/ }).waitFor();
    await page.reload();
    await page.getByRole('row', { name: /^Read 4 5 \+25 %/ }).waitFor();
    await page.goto(`${url}/configs/${configId}/runs`);
    await page.getByRole('link', { name: 'Compare the last two runs' }).click();
    await page.waitForURL(`${url}/runs/compare?a=${first.runId}&b=${second.runId}`);
  });

  it('start with other values and with labels', async () => {
    const configId = await upload(url, PICKY);
    const page = await openPage(`${url}/configs/${configId}`);
    await page.getByRole('button', { name: 'Run with…' }).click();
    await page.getByLabel(/^Overrides/).fill('connectors.0.numDocs');
    await page.getByRole('button', { name: 'Start the run' }).click();
    await page.getByText('Line 1 is not of the form path = value').waitFor();
    await page.getByLabel(/^Overrides/).fill('connectors.0.numDocs = 3');
    await page.getByLabel(/^Labels/).fill('team:search');
    await page.getByRole('button', { name: 'Start the run' }).click();
    await page.waitForURL(`${url}/runs/*`);
    await page.getByText('of 3', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Config', exact: true }).click();
    await page.getByText('"numDocs": 3').waitFor();
    await page.goto(`${url}/runs?label=team:search`);
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
  });

  it('are on the overview if they failed, with the reason', async () => {
    const missing = PICKY.replace('SequenceConnector', 'CSVConnector').replace('numDocs: 5', 'path: "/no/such.csv"');
    const { runId } = await startRun(url, await upload(url, missing));
    const page = await openPage(url);
    const failed = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Failed' }) });
    const item = failed.getByRole('listitem').filter({ hasText: 'Cannot read /no/such.csv' });
    await item.getByRole('link').click();
    await page.waitForURL(`${url}/runs/${runId}`);
    await page.getByRole('heading', { name: 'Why it failed' }).waitFor();
  });

  it('say on the overview why all documents failed, and where the documents went', async () => {
    const target = join(serviceDirectory(), 'out.jsonl');
    const config = PICKY.replace('numDocs: 5', 'numDocs: 1').replace(
      'indexer { class: NopIndexer }',
      `indexer { type: JSONLines }, jsonl { path: "${target}" }`,
    );
    const { runId } = await startRun(url, await upload(url, config));
    await finished(url, runId);
    const page = await openPage(url);
    const failed = page.getByRole('listitem').filter({ hasText: 'The only document failed' });
    const item = failed.filter({ has: page.locator(`a[href="/runs/${runId}"]`) });
    await item.getByText('zero is not allowed').waitFor();
    await page.goto(`${url}/runs/${runId}`);
    await page.getByText(`Documents go to ${target}`).waitFor();
  });

  it('stay when their config is deleted, and say so', async () => {
    const configId = await upload(url, PICKY);
    const { runId } = await startRun(url, configId);
    await finished(url, runId);
    await fetch(`${url}/v1/config/${configId}`, { method: 'DELETE' });
    const page = await openPage(`${url}/runs/${runId}/config`);
    await page.getByText('The config of this run was deleted', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.getByText('was deleted, so that it cannot run again').waitFor();
  });

  it('follow a run while it is running, and cancel it', async () => {
    const configId = await upload(url, ENDLESS);
    const { runId } = await startRun(url, configId);
    const page = await openPage(`${url}/runs/${runId}`);
    await page.getByText('Running', { exact: true }).waitFor();
    await page.getByRole('img', { name: /Documents per second/ }).waitFor();
    // The overview shows it too, and leads back.
    await page.getByRole('link', { name: 'Overview' }).click();
    const active = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Running now' }) });
    const icon = () => page.locator('link[rel=icon]').getAttribute('href');
    await expect.poll(icon).toMatch(/\/assets\/icon/);
    await active.locator(`a[href="/runs/${runId}"]`).click();
    await page.getByRole('button', { name: 'Cancel run' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel run' }).click();
    await page.getByText('Cancelled', { exact: true }).waitFor();
    await expect.poll(() => page.title()).toContain('Cancelled');
    await expect.poll(icon).toMatch(/^data:image\/svg\+xml,/);
    await page.getByRole('button', { name: 'Run again' }).waitFor();
    // The service keeps the rate over time.
    await page.reload();
    await page.getByRole('img', { name: /Documents per second/ }).waitFor();
  });

  it('keep the filters in the address', async () => {
    const configId = await upload(url, PICKY);
    await startRun(url, configId);
    const page = await openPage(`${url}/runs?config=${configId}`);
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await page.getByLabel('State').selectOption('Cancelled');
    await page.getByText('No run matches the filters').waitFor();
    await page.waitForURL(/status=CANCELLED/);
    await page.reload();
    await page.getByText('No run matches the filters').waitFor();
    await page.getByRole('link', { name: 'Show all runs' }).click();
    await page.getByRole('table', { name: 'Runs' }).waitFor();
  });

  it('go through the rows and open one with the keyboard', async () => {
    await startRun(url, await upload(url, PICKY));
    const page = await openPage(`${url}/runs`);
    await page.getByRole('table', { name: 'Runs' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${url}/runs/*`);
  });

  it('find everything with the search', async () => {
    const page = await openPage(url);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('/');
    await page.getByRole('combobox').fill('splitfield');
    await page.getByRole('option', { name: /SplitFieldValues/ }).waitFor();
    expect(await accessibilityProblems(page)).toEqual({ light: [], dark: [] });
    await page.keyboard.press('Enter');
    await page.waitForURL(`${url}/components/SplitFieldValues`);
  });
});

it('the run page reports a killed service, connects again, and shows that the run was interrupted', async () => {
  const directory = await directoryWithAddress();
  const first = await serve(directory);
  const { runId } = await startRun(first.url, await upload(first.url, ENDLESS));
  const page = await openPage(`${first.url}/runs/${runId}`);
  await page.getByText('Running', { exact: true }).waitFor();
  await page.getByText('Documents per second').waitFor();
  await kill(first);
  await page.getByText('The service does not answer').waitFor();
  expect(await accessibilityProblems(page)).toEqual({ light: [], dark: [] });
  await serve(directory);
  await page.getByText('Interrupted', { exact: true }).waitFor();
  await expect.poll(() => page.getByText('The service does not answer').count()).toBe(0);
  // These documents have no reason, and cannot run again.
  await page.getByRole('link', { name: /^Failures [1-9]/ }).click();
  await page.getByText('were open when the service ended').waitFor();
  expect(await page.getByRole('button', { name: 'Retry failed documents' }).count()).toBe(0);
});

it('a page that is opened while the service is down is loaded when it answers again', async () => {
  const directory = await directoryWithAddress();
  const first = await serve(directory);
  const page = await openPage(first.url);
  await page.getByText('Nothing has run here yet').waitFor();
  await kill(first);
  await page.getByRole('link', { name: 'Components' }).click();
  await page.getByText('The service does not answer').waitFor();
  await serve(directory);
  await page.getByRole('link', { name: /^SplitFieldValues/ }).waitFor();
});

it.each([
  ['the system', (_runId: string) => '/system', 'Headrace 0.1'],
  ['the log of a run', (runId: string) => `/runs/${runId}/log?level=info`, 'Starting run'],
])('the page of %s reports a service that hangs, and is right again when it continues', async (_name, path, shows) => {
  const { url, process } = await serve(serviceDirectory());
  const { runId } = await startRun(url, await upload(url, ENDLESS));
  const page = await openPage(url + path(runId));
  await page.clock.install();
  await page.reload();
  await page.getByText(shows).waitFor();
  process.child.kill('SIGSTOP');
  try {
    // Time passes until a request has no answer for too long.
    const lost = page.getByText('The service does not answer');
    await expect
      .poll(async () => {
        await page.clock.runFor(3_000);
        return lost.count();
      })
      .toBe(1);
  } finally {
    process.child.kill('SIGCONT');
  }
  await expect
    .poll(async () => {
      await page.clock.runFor(3_000);
      return page.getByText('The service does not answer').count();
    })
    .toBe(0);
});

/** Creates a folder for a service that has the same address after a restart. */
async function directoryWithAddress(): Promise<string> {
  const directory = serviceDirectory();
  const file = join(directory, 'service.yml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('port: 0', `port: ${await closedPort()}`));
  return directory;
}
