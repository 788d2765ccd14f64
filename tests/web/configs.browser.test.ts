import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { finished, startRun } from '../service/served.ts';
import { accessibilityProblems } from './accessibility.ts';
import { openPage } from './browser.ts';
import { serviceForFile } from './service.ts';

const CONFIG = `# Ten numbers.
connectors: [{ name: numbers, class: SequenceConnector, pipeline: main, numDocs: 10 }]
pipelines: [{ name: main, stages: [{ class: Concatenate, dest: title, formatString: "Document {id}" }] }]
indexer { type: Nop }
`;

describe('the config page', () => {
  let url: string;

  beforeAll(async () => {
    url = await serviceForFile();
  });

  it('is one click away from the overview of an empty service, with an example or empty', async () => {
    const page = await openPage(url);
    await page.getByRole('link', { name: 'Try an example' }).click();
    await page.getByRole('link', { name: 'valid' }).waitFor();
    await page.getByRole('link', { name: 'Preview' }).click();
    await page
      .getByText(/Product \d+ in Harbour street/)
      .first()
      .waitFor();

    await page.goto(url);
    await page.getByRole('link', { name: 'Start with an empty config' }).click();
    await page.getByText('There are no connectors').waitFor();
    await page
      .getByRole('button', { name: 'Set the indexer' })
      .or(page.getByRole('button', { name: 'Change the indexer' }))
      .waitFor();
  });

  it('stores a new config, runs it and shows the finished run', async () => {
    const page = await openPage(`${url}/configs`);
    await page.getByRole('link', { name: 'New config' }).click();
    await replaceText(page, CONFIG);
    await page.getByRole('link', { name: 'valid' }).waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByLabel('Name').fill('numbers');
    await page.getByLabel('Labels').fill('team:search');
    await page.getByRole('button', { name: 'Save the config' }).click();
    await page.waitForURL(`${url}/configs/numbers`);
    await page.getByText('version 1').waitFor();

    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL(`${url}/runs/*`);
    await page.getByText('Succeeded', { exact: true }).first().waitFor();
    await expect.poll(() => page.title()).toContain('Succeeded');
    await page.getByText('RUN SUMMARY').waitFor();

    await page.goto(`${url}/configs?label=team:search`);
    await page.getByRole('row', { name: /numbers/ }).waitFor();
  });

  it('changes the name, the description and the labels of a stored config, without a new version', async () => {
    await putConfig(url, 'unnamed', CONFIG);
    const page = await openPage(`${url}/configs/unnamed`);
    await page.getByText('version 1').waitFor();
    await page.getByRole('button', { name: 'Details…' }).click();
    const form = page.getByRole('form', { name: 'Details of the config' });
    expect(await accessibilityProblems(page)).toEqual({ light: [], dark: [] });
    await form.getByLabel('Description').fill('Ten of them');
    await form.getByLabel('Labels').fill('team:search env:live');
    await form.getByRole('button', { name: 'Save the details' }).click();
    await page.getByText('team:search env:live').waitFor();
    await page.getByRole('button', { name: 'Details…' }).click();
    await form.getByLabel('Name').fill('named');
    await form.getByLabel('Labels').fill('');
    await form.getByRole('button', { name: 'Save the details' }).click();
    await page.waitForURL(`${url}/configs/named`);
    await page.getByRole('heading', { name: 'named' }).waitFor();
    await page.getByText('Ten of them').waitFor();
    await page.getByText('version 1').waitFor();
    const { items } = (await (await fetch(`${url}/v1/config?q=named&content=false`)).json()) as { items: unknown[] };
    expect(items).toMatchObject([{ name: 'named', description: 'Ten of them', labels: {}, version: 1 }]);
  });

  it('shows and keeps the layout of a config that was stored as JSON', async () => {
    const json = '{ "connectors": [], "pipelines": [ ],\n  "indexer": {"type": "Nop"}, "n": 9007199254740993 }\n';
    const headers = { 'content-type': 'application/json' };
    await fetch(`${url}/v1/config/layout`, { method: 'PUT', headers, body: json });
    const page = await openPage(`${url}/configs/layout`);
    await page.getByText('9007199254740993 }').waitFor();
    await page.getByText('"pipelines": [ ],').waitFor();
    await page.getByRole('button', { name: 'Details…' }).click();
    await page.getByLabel('Description').fill('In JSON');
    await page.getByRole('button', { name: 'Save the details' }).click();
    await page.getByText('In JSON').waitFor();
    await page.getByText('version 1').waitFor();
    await replaceText(page, json.replace('[ ]', '[  ]'));
    await page.keyboard.press('Control+s');
    await page.getByText('version 2').waitFor();
    const stored = await fetch(`${url}/v1/config/layout/text`);
    expect(stored.headers.get('content-type')).toContain('application/json');
    expect(await stored.text()).toBe(json.replace('[ ]', '[  ]'));
  });

  it('shows the last run of each config in the list, with its problem', async () => {
    const script = "if (doc.id == 3) throw new Error('three is refused')";
    const stages = `stages: [{ class: ApplyJavascript, script: "${script}" }]`;
    await putConfig(
      url,
      'with-failures',
      `connectors: [{ class: SequenceConnector, pipeline: p, numDocs: 5 }], pipelines: [{ name: p, ${stages} }], indexer { type: Nop }`,
    );
    const page = await openPage(`${url}/configs?q=with-failures`);
    const row = page.getByRole('row', { name: /with-failures/ });
    await row.waitFor();
    expect(await row.getByText('Succeeded').count()).toBe(0);
    const { runId } = await startRun(url, 'with-failures');
    await finished(url, runId);
    await page.goto(`${url}/configs?q=with-failures`);
    await row.getByText('Succeeded with failures').waitFor();
    await row.getByText(/three is refused/).waitFor();
    const { items } = (await (await fetch(`${url}/v1/config?limit=1&content=false`)).json()) as { items: unknown[] };
    expect(items).toMatchObject([{ name: 'with-failures', lastRun: { runId, status: 'SUCCEEDED', failed: 1 } }]);
  });

  it('shows the problems of a text while it is edited, with their positions', async () => {
    const page = await openPage(`${url}/configs/new`);
    await replaceText(page, CONFIG.replace('Concatenate', 'Concatenat'));
    await page.getByText('1 error', { exact: true }).waitFor();
    await page.locator('.cm-lintRange-error').waitFor();
    await page.getByRole('button', { name: /^3:/ }).click();
    await expect.poll(() => page.locator('.cm-activeLine').textContent()).toContain('Concatenat');
    await replaceText(page, CONFIG);
    await page.getByRole('link', { name: 'valid' }).waitFor();
  });

  it('explains a parameter under the pointer', async () => {
    await putConfig(url, 'explained', CONFIG);
    const page = await openPage(`${url}/configs/explained`);
    await page.getByText('numDocs', { exact: true }).hover();
    await page.getByText('How many documents to publish.').waitFor();
  });

  it('explains and completes also if the user asks before the descriptions of the components arrive', async () => {
    await putConfig(url, 'early', CONFIG);
    const page = await openPage(`${url}/configs`);
    const { promise: asked, resolve: answer } = Promise.withResolvers<void>();
    await page.route('**/v1/config-info/**', async (route) => {
      await asked;
      await route.continue();
    });
    await page.getByRole('link', { name: 'early' }).click();
    await replaceText(page, 'connectors: [{ class: SequenceConn');
    await page.keyboard.press('Control+Space');
    answer();
    await page.getByRole('option', { name: /SequenceConnector/ }).waitFor();
  });

  it('completes classes and parameters, and explains them', async () => {
    const page = await openPage(`${url}/configs/new`);
    await replaceText(page, 'pipelines: [{ name: main, stages: [{ class: SplitFieldVal');
    await page.keyboard.press('Control+Space');
    await completion(page, /SplitFieldValues/).waitFor();
    await page.getByText('Splits the texts of a field').first().waitFor();
    expect(await accessibilityProblems(page)).toEqual({ light: [], dark: [] });
    await completion(page, /SplitFieldValues/).click();
    await page.keyboard.insertText(', delim');
    await page.keyboard.press('Control+Space');
    await completion(page, /delimiter.*required/).click();
    await expect.poll(() => page.locator('.cm-content').textContent()).toContain('class: SplitFieldValues, delimiter:');
  });

  it('completes the values that a parameter may have', async () => {
    const page = await openPage(`${url}/configs/new`);
    await replaceText(page, 'connectors: [{ class: CSVConnector, name: c, path: a.csv, onInvalidBytes: ');
    await page.keyboard.press('Control+Space');
    const values = page.locator('.cm-tooltip-autocomplete').getByRole('option');
    await expect.poll(() => values.allTextContents()).toEqual(['replacedefault', 'fail']);
  });

  it('fixes a problem with one click', async () => {
    const page = await openPage(`${url}/configs/new`);
    await replaceText(page, CONFIG.replace('Concatenate', 'Concatenat'));
    await page.getByRole('button', { name: /Replace.*Concatenate/ }).click();
    await page.getByRole('link', { name: 'valid' }).waitFor();
    await expect.poll(() => page.locator('.cm-content').textContent()).toContain('class: Concatenate,');
  });

  it('keeps versions, shows what changed, and restores an old version', async () => {
    await putConfig(url, 'versions', CONFIG);
    const page = await openPage(`${url}/configs/versions`);
    await replaceText(page, CONFIG.replace('numDocs: 10', 'numDocs: 20'));
    await page.getByText('not saved').waitFor();
    await page.keyboard.press('Control+s');
    await page.getByText('version 2').waitFor();

    await page.getByRole('link', { name: 'Versions' }).click();
    await page.getByText('connectors[0].numDocs').waitFor();
    await expect.poll(() => page.locator('del').textContent()).toBe('10');
    await expect.poll(() => page.locator('ins').textContent()).toBe('20');
    await page.getByRole('button', { name: /^Version 1/ }).click();
    await page.getByRole('button', { name: 'Restore version 1' }).click();
    await page.getByText('Version 3, current').waitFor();
    await page.getByRole('link', { name: 'Editor' }).click();
    await expect.poll(() => page.locator('.cm-content').textContent()).toContain('numDocs: 10');
    await expect.poll(() => page.locator('.cm-content').textContent()).toContain('# Ten numbers.');
  });

  it('keeps the secrets of a stored config that is changed elsewhere, and asks for them again if its address changes', async () => {
    await putConfig(
      url,
      'secret',
      CONFIG.replace(
        'indexer { type: Nop }',
        'indexer { type: OpenSearch }\nopensearch { url: "http://h", index: a, password: hunter2 }',
      ),
    );
    const page = await openPage(`${url}/configs/secret`);
    const shown = async () => (await (await fetch(`${url}/v1/config/secret/text`)).text()) as string;
    await replaceText(page, (await shown()).replace('numDocs: 10', 'numDocs: 20'));
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('version 2').waitFor();
    const diff = await (await fetch(`${url}/v1/config/secret/diff?from=1&to=2`)).json();
    expect(diff).toMatchObject({ changes: [{ path: 'connectors[0].numDocs' }] });

    await replaceText(page, (await shown()).replace('http://h', 'http://other'));
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The config was not saved').waitFor();
    await page.getByText('Write the secret again').first().waitFor();
  });

  it('previews an edited config with its stored secrets', async () => {
    const stage = '{ class: SetStaticValues, staticValues: { token: hunter2 } }';
    await putConfig(url, 'secret-stage', CONFIG.replace(/stages: \[.*\] \}\]/, `stages: [${stage}] }]`));
    const page = await openPage(`${url}/configs/secret-stage`);
    const shown = await (await fetch(`${url}/v1/config/secret-stage/text`)).text();
    expect(shown).not.toContain('hunter2');
    await replaceText(page, shown.replace('numDocs: 10', 'numDocs: 1'));
    await page.getByRole('link', { name: 'Preview' }).click();
    await page.getByRole('row', { name: 'added token "hunter2"' }).waitFor();
  });

  it('asks before unsaved changes are lost', async () => {
    await putConfig(url, 'unsaved', CONFIG);
    const page = await openPage(`${url}/configs/unsaved`);
    await replaceText(page, '# changed');
    await page.getByText('not saved').waitFor();
    const asked = page.waitForEvent('dialog').then(async (dialog) => {
      await dialog.dismiss();
      return dialog.message();
    });
    await page.getByRole('link', { name: 'Overview' }).click();
    expect(await asked).toContain('without saving');
    expect(page.url()).toBe(`${url}/configs/unsaved`);
  });

  it('does not overwrite a version that another user stored', async () => {
    await putConfig(url, 'shared', CONFIG);
    const page = await openPage(`${url}/configs/shared`);
    await replaceText(page, CONFIG.replace('numDocs: 10', 'numDocs: 30'));
    await putConfig(url, 'shared', CONFIG.replace('numDocs: 10', 'numDocs: 40'));
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The config was not saved').waitFor();
    await page.getByText('not saved', { exact: true }).waitFor();

    const stored = /\/v1\/config\/shared$/;
    await page.route(stored, (route) => route.fulfill({ status: 500, json: { code: 'HR_INTERNAL', message: 'no' } }));
    await page.getByRole('button', { name: 'Load the newer version' }).click();
    await page.getByText('The newest version was not loaded').waitFor();
    await page.unroute(stored);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('numDocs: 40').waitFor();
    await expect.poll(() => page.getByText('The config was not saved').count()).toBe(0);
    await page.getByRole('textbox', { name: 'Config' }).click();
    await page.keyboard.press('Control+z');
    await page.getByText('numDocs: 30').waitFor();
    await putConfig(url, 'shared', CONFIG.replace('numDocs: 10', 'numDocs: 50'));
    await page.keyboard.press('Control+s');
    await page.getByRole('button', { name: 'Save mine as the newest' }).click();
    await page.getByText('version 4').waitFor();
    expect(await (await fetch(`${url}/v1/config/shared/text`)).text()).toContain('numDocs: 30');
  });

  it('offers a new config if another user has deleted the one that is edited', async () => {
    await putConfig(url, 'gone', CONFIG);
    const page = await openPage(`${url}/configs/gone`);
    await replaceText(page, CONFIG.replace('numDocs: 10', 'numDocs: 33'));
    await fetch(`${url}/v1/config/gone`, { method: 'DELETE' });
    await page.keyboard.press('Control+s');
    await page.getByText('somebody else has deleted it').waitFor();
    expect(await accessibilityProblems(page)).toEqual({ light: [], dark: [] });
    await page.getByRole('button', { name: 'Make a new config of it' }).click();
    await page.waitForURL(`${url}/configs/new`);
    await page.getByText('numDocs: 33').waitFor();
  });

  it('deletes a config after the user has confirmed its name', async () => {
    await putConfig(url, 'old', CONFIG);
    const page = await openPage(`${url}/configs/old`);
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('old, all its versions and its schedule are deleted.').waitFor();
    expect(await accessibilityProblems(page)).toEqual({ light: [], dark: [] });
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL(`${url}/configs`);
    expect((await fetch(`${url}/v1/config/old`)).status).toBe(404);
  });

  it('previews documents after each stage, and follows a change of a parameter', async () => {
    await putConfig(url, 'previewed', CONFIG);
    const page = await openPage(`${url}/configs/previewed/preview`);
    await page.getByRole('button', { name: /stage_1/ }).waitFor();
    await page.getByRole('row', { name: 'added title "Document 0"' }).waitFor();
    await page.getByRole('link', { name: 'Editor' }).click();
    await replaceText(page, CONFIG.replace('Document {id}', 'Number {id}'));
    await page.getByRole('link', { name: 'Preview' }).click();
    await page.getByRole('row', { name: 'added title "Number 0"' }).waitFor();

    await page.getByRole('combobox', { name: /^Documents/ }).selectOption('entered or uploaded');
    await page.getByLabel(/Documents as JSON/).fill('{"id": "mine"}\n{"id": ');
    await page.getByText('Line 2 is not JSON').waitFor();
    await page.getByLabel(/Documents as JSON/).fill('{"id": "mine"}');
    await page.getByRole('row', { name: 'added title "Number mine"' }).waitFor();
    const file = { name: 'a.jsonl', mimeType: 'application/json', buffer: Buffer.from('{"id": "uploaded"}\n') };
    await page.getByLabel('or a file').setInputFiles(file);
    await page.getByRole('row', { name: 'added title "Number uploaded"' }).waitFor();
  });

  it('shows the preview below the editor, and follows each change of the text', async () => {
    await putConfig(url, 'below', CONFIG);
    const page = await openPage(`${url}/configs/below`);
    await page.getByText('Preview while you edit').click();
    await page.getByRole('row', { name: 'added title "Document 0"' }).waitFor();
    await replaceText(page, CONFIG.replace('Document {id}', 'Number {id}'));
    await page.getByRole('row', { name: 'added title "Number 0"' }).waitFor();
    await page.getByRole('combobox', { name: /^Documents/ }).selectOption('the first 100 of the source');
    await page.getByText(/^Stages took .* for 10 documents$/).waitFor();
  });

  it('previews each pipeline, with the time of each stage and the stage that failed', async () => {
    const stages = `{ class: Concatenate, name: title, dest: title, formatString: "Document {id}" }`;
    const failing = `{ class: ParseJson, name: parse, src: id }`;
    await putConfig(
      url,
      'two-pipelines',
      CONFIG.replace(
        /pipelines: .*/,
        `pipelines: [{ name: main, stages: [${stages}] }, { name: other, stages: [${failing}] }]`,
      ),
    );
    const page = await openPage(`${url}/configs/two-pipelines/preview`);
    await page.getByRole('button', { name: /^title Concatenate [\d.]+ m?s changed$/ }).waitFor();
    await page.getByText(/^Stages took .* for 10 documents$/).click();
    await page.getByRole('row', { name: /^title Concatenate .* 10$/ }).waitFor();
    await page.getByRole('combobox', { name: /^Documents/ }).selectOption('entered or uploaded');
    await page.getByLabel(/Documents as JSON/).fill('{"id": "mine"}');
    await page.getByRole('combobox', { name: /^Pipeline/ }).selectOption('other');
    await page.getByText(/^parse failed: /).waitFor();
    await page.getByRole('button', { name: /^parse ParseJson [\d.]+ m?s failed$/ }).waitFor();
  });

  it('completes the fields of documents after a preview', async () => {
    await putConfig(url, 'known-fields', CONFIG);
    const page = await openPage(`${url}/configs/known-fields/preview`);
    await page.getByRole('row', { name: 'added title "Document 0"' }).waitFor();
    await page.getByRole('combobox', { name: /^Documents/ }).selectOption('entered or uploaded');
    await page.getByLabel(/Documents as JSON/).fill('{"id": "a", "elevation": 7}');
    await page.getByRole('row', { name: /elevation/ }).waitFor();
    await page.getByRole('link', { name: 'Editor' }).click();
    await replaceText(page, CONFIG.replace(/\{ class: Concatenate[\s\S]*/, '{ class: TrimWhitespace, fields: [elev'));
    await page.keyboard.press('Control+Space');
    await page.getByRole('option', { name: /elevation/ }).waitFor();
  });
});

/** An option of the completion list. The editor ignores clicks while it computes the list again: then none is found. */
function completion(page: Page, name: RegExp) {
  return page.locator('.cm-tooltip-autocomplete:not(.cm-tooltip-autocomplete-disabled)').getByRole('option', { name });
}

/** Replaces the text of the editor, as a user does with the keyboard. */
async function replaceText(page: Page, text: string): Promise<void> {
  const editor = page.getByRole('textbox', { name: 'Config' });
  await editor.click();
  await page.keyboard.press('Control+a');
  // The editor handles this key itself. Text that replaces a selection gets styles from the browser, which the content
  // security policy blocks.
  await page.keyboard.press('Delete');
  // Unlike typing, inserting adds no closing brackets.
  await page.keyboard.insertText(text);
}

async function putConfig(url: string, name: string, text: string): Promise<void> {
  const headers = { 'content-type': 'application/hocon' };
  const response = await fetch(`${url}/v1/config/${name}`, { method: 'PUT', headers, body: text });
  if (!response.ok) throw new Error(`PUT /v1/config/${name} answered ${response.status}: ${await response.text()}`);
}
