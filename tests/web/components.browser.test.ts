import { readdirSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { openPage } from './browser.ts';
import { serviceForFile } from './service.ts';

interface Component {
  readonly class: string;
  readonly package: string;
  readonly description?: string;
  readonly examples?: readonly { readonly params: object; readonly config?: string }[];
}

let url: string;

beforeAll(async () => {
  url = await serviceForFile();
});

it('every component, also of the plugins, has a description and examples whose configs are valid', async () => {
  const lists = await Promise.all(
    ['connector', 'stage', 'indexer'].map(async (kind) => {
      const response = await fetch(`${url}/v1/config-info/${kind}-list`);
      return (await response.json()) as Component[];
    }),
  );
  const wrong: unknown[] = [];
  for (const component of lists.flat()) {
    const { class: name, description = '', examples = [] } = component;
    if (description === '' || examples.length === 0) wrong.push(name);
    for (const { params, config = configOf(name, params) } of examples) {
      const headers = { 'content-type': 'application/hocon' };
      const checked = await fetch(`${url}/v1/config/validate`, { method: 'POST', headers, body: config });
      const { valid, problems } = (await checked.json()) as { valid: boolean; problems: unknown[] };
      if (!valid) wrong.push(name, problems);
    }
  }
  expect(wrong).toEqual([]);
  expect(lists.every((list) => list.length > 5)).toBe(true);
  const packages = new Set(lists.flat().map((component) => component.package));
  const plugins = readdirSync('plugins').map((plugin) => `@headrace/${plugin}`);
  // The video plugin has a file handler, which is no component.
  expect(plugins.filter((plugin) => !packages.has(plugin))).toEqual(['@headrace/video']);
});

describe('the components', () => {
  it('are searched by words, and filtered by kind, in the address', async () => {
    const page = await openPage(`${url}/components`);
    await page.getByRole('searchbox', { name: 'Search the components' }).fill('opensearch');
    await page.getByRole('link', { name: /QueryOpensearch/ }).waitFor();
    await page.getByRole('button', { name: 'indexers' }).click();
    await page.getByRole('link', { name: /QueryOpensearch/ }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /OpenSearchIndexer/ }).click();
    await page.waitForURL(`${url}/components/OpenSearchIndexer?q=opensearch&kind=indexer`);
    await page.getByRole('rowheader', { name: /url required/ }).waitFor();
    // File handlers are parameters of components. A search finds those that have them.
    await page.goto(`${url}/components?q=video`);
    await page.getByRole('link', { name: /FileConnector/ }).click();
    await page.getByText('VideoFileHandler of the package @headrace/video').waitFor();
  });

  it('have examples that run on the page, and open in the editor with their documents', async () => {
    const page = await openPage(`${url}/components/DeleteFields`);
    await page.getByRole('button', { name: 'Run the example' }).first().click();
    await page.getByText('Documents after, from this service').waitFor();
    await page.getByRole('button', { name: 'Open in the editor' }).first().click();
    await page.waitForURL(`${url}/configs/new`);
    await page.getByRole('link', { name: 'valid' }).waitFor();
    await page.getByRole('link', { name: 'Preview' }).click();
    await page.getByRole('row', { name: /removed raw/ }).waitFor();
  });

  it('of plugins have examples that run on the page', async () => {
    const page = await openPage(`${url}/components/TextExtractor`);
    await page.getByRole('button', { name: 'Run the example' }).click();
    await page.getByText('Documents after, from this service').waitFor();
    await page.getByText('"tika_dc_title":"Mill"').waitFor();
  });

  it('say what their examples need', async () => {
    const page = await openPage(`${url}/components/EmitDocsToDeleteByPrefix`);
    await page.getByText('Needs: An index articles of Pinecone').waitFor();
  });

  it('include connectors, whose examples are configs that run', async () => {
    const page = await openPage(`${url}/components/SequenceConnector`);
    await page.getByRole('button', { name: 'Open in the editor' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByLabel('Name').fill('sequence');
    await page.getByRole('button', { name: 'Save the config' }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await expect.poll(() => page.title()).toContain('Succeeded');
  });
});

/** Returns a config with one stage. Connectors and indexers have whole configs as examples. */
function configOf(name: string, params: object): string {
  const pipelines = [{ name: 'main', stages: [{ class: name, ...params }] }];
  const connectors = [{ class: 'SequenceConnector', pipeline: 'main', numDocs: 1 }];
  return JSON.stringify({ connectors, pipelines, indexer: { type: 'Nop' } });
}
