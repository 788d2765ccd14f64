import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { kill, type Served, serve, serviceDirectory, startRun, upload } from '../service/served.ts';
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

  it('group the failed documents by reason, and run them again', async () => {
    const { runId } = await startRun(url, await upload(url, PICKY));
    const page = await openPage(`${url}/runs/${runId}`);
    await page.getByText('Succeeded with failures').waitFor();
    await page.getByRole('link', { name: /^Failures/ }).click();
    const groups = page.locator('.groups > li');
    await expect.poll(() => groups.count()).toBe(2);
    expect(await groups.first().textContent()).toMatch(/2.*is too large/s);
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

  it('follow a run while it is running, and cancel it', async () => {
    const configId = await upload(url, ENDLESS);
    const { runId } = await startRun(url, configId);
    const page = await openPage(`${url}/runs/${runId}`);
    await page.getByText('Running', { exact: true }).waitFor();
    await page.getByRole('img', { name: /Documents per second/ }).waitFor();
    await page.getByRole('button', { name: 'Cancel run' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel run' }).click();
    await page.getByText('Cancelled', { exact: true }).waitFor();
    await expect.poll(() => page.title()).toContain('Cancelled');
    await page.getByRole('button', { name: 'Run again' }).waitFor();
  });

  it('keep the filters in the address', async () => {
    const configId = await upload(url, PICKY);
    await startRun(url, configId);
    const page = await openPage(`${url}/runs?config=${configId}`);
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await page.getByLabel('State').selectOption('Cancelled');
    await page.getByText('No run matches the filters').waitFor();
    expect(page.url()).toContain('status=CANCELLED');
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
    await page.keyboard.press('Enter');
    await page.waitForURL(`${url}/components/SplitFieldValues`);
  });
});

it('the run page reports a killed service, connects again, and shows that the run was interrupted', async () => {
  // The second service must have the same address.
  const directory = serviceDirectory();
  const first = await serve(directory);
  const { port } = new URL(first.url);
  const { runId } = await startRun(first.url, await upload(first.url, ENDLESS));
  const page = await openPage(`${first.url}/runs/${runId}`);
  await page.getByText('Running', { exact: true }).waitFor();
  await kill(first);
  await page.getByText('The service does not answer').waitFor();
  await serveAt(directory, port);
  await page.getByText('Interrupted', { exact: true }).waitFor();
  await expect.poll(() => page.getByText('The service does not answer').count()).toBe(0);
});

async function serveAt(directory: string, port: string): Promise<Served> {
  const file = join(directory, 'service.yml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('port: 0', `port: ${port}`));
  return serve(directory);
}
