import { randomUUID } from 'node:crypto';
import { describeWithServer } from '@headrace/testing/real-server';
import { expect, it } from 'vitest';
import { finished, startRun, upload } from '../service/served.ts';
import { accessibilityProblems } from './accessibility.ts';
import { openPage } from './browser.ts';
import { serviceForFile } from './service.ts';

await describeWithServer('opensearch', (server) => {
  it('the page of a rebuild shows each check, and moves the alias back', async () => {
    const url = await serviceForFile();
    const alias = `web-${randomUUID()}`;
    const configId = await upload(
      url,
      `connectors: [{ class: SequenceConnector, name: numbers, pipeline: main, numDocs: 5 }]
       pipelines: [{ name: main, stages: [] }]
       indexer { type: OpenSearch }
       opensearch { url: "${server.url}", index: "${alias}", rebuild.checks { documents.maxFewerPercent: 5, required.id: 100 } }`,
    );
    const targets = async () => Object.keys((await (await fetch(`${server.url}/_alias/${alias}`)).json()) as object);
    const first = await startRun(url, configId);
    await finished(url, first.runId);
    const [oldIndex = ''] = await targets();
    const { runId } = await startRun(url, configId);
    await finished(url, runId);

    const page = await openPage(`${url}/runs/${runId}`);
    const table = page.getByRole('table').filter({ hasText: 'Expected' });
    const row = (name: RegExp) => table.getByRole('row', { name }).waitFor();
    await row(/^documents at least 1 5 in the new index passed$/);
    await row(/^documents at most 5 % fewer than the 5 in the live index 5 in the new index passed$/);
    await row(/^required id at least 100 % 100 % of the documents have it passed$/);
    expect(await accessibilityProblems(page)).toEqual({ light: [], dark: [] });
    await page.getByRole('button', { name: 'Roll back' }).click();
    await page.getByRole('dialog').getByText(`Searches use ${oldIndex} again.`).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
    await page.getByText(/^Rolled back on/).waitFor();
    expect(await page.getByRole('button', { name: 'Roll back' }).count()).toBe(0);
    expect(await targets()).toEqual([oldIndex]);

    // The first run replaced nothing, and its comparison with a live index did not run.
    await page.goto(`${url}/runs/${first.runId}`);
    await row(/^documents at most 5 % fewer than in the live index there is no live index to compare with not run$/);
    expect(await page.getByRole('button', { name: 'Roll back' }).count()).toBe(0);
    // A run whose index is not in use cannot be rolled back.
    const refused = await fetch(`${url}/v1/run/${runId}/rollback`, { method: 'POST' });
    expect([refused.status, await refused.json()]).toMatchObject([
      409,
      { code: 'HR_ROLLBACK_FAILED', message: expect.stringContaining(`not to the one of the run ${runId}`) },
    ]);
  });
});
