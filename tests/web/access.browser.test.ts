import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serve, serviceDirectory } from '../service/served.ts';
import { accessibilityProblems } from './accessibility.ts';
import { openPage } from './browser.ts';

const USERS = `
auth:
  type: basicAuth
  users:
    - { name: rita, password: looks-only, role: reader }
    - { name: olga, password: runs-things, role: operator }
`;

it('the application signs in, shows only what the role may do, and signs out', async () => {
  const { url } = await serve(serviceDirectory(USERS));
  const page = await openPage(`${url}/configs`);
  await page.getByLabel('User', { exact: true }).fill('rita');
  await page.getByLabel('Password', { exact: true }).fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('You are not signed in').waitFor();
  expect(await accessibilityProblems(page)).toEqual({ light: [], dark: [] });
  await page.getByLabel('Password', { exact: true }).fill('looks-only');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('No configs yet').waitFor();
  await page.getByText('rita (reader)').waitFor();
  expect(await page.getByRole('link', { name: 'New config' }).count()).toBe(0);
  expect(await page.getByRole('link', { name: /^Load a/ }).count()).toBe(0);
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByText('This service has no config yet').waitFor();
  await page.getByRole('button', { name: 'Search /' }).click();
  await page.getByRole('combobox').fill('conf');
  await page.getByRole('option', { name: /^Configs/ }).waitFor();
  expect(await page.getByRole('option', { name: 'New config' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  expect(await page.getByRole('link', { name: /^Load a/ }).count()).toBe(0);

  await page.reload();
  await page.getByText('rita (reader)').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are signed out.').waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
});

it('a reader sees a run with its failures, and no button that changes anything', async () => {
  const { url } = await serve(serviceDirectory(`${USERS}    - { name: ada, password: may-everything, role: admin }\n`));
  const authorization = `Basic ${Buffer.from('ada:may-everything').toString('base64')}`;
  const config =
    'connectors: [{ name: n, class: SequenceConnector, pipeline: p, numDocs: 1 }], pipelines: [{ name: p, stages: [{ class: ParseJson, src: id }] }], indexer { type: Nop }';
  const headers = { authorization, 'content-type': 'application/json' };
  const started = await fetch(`${url}/v1/run`, { method: 'POST', headers, body: JSON.stringify({ config }) });
  const { runId } = (await started.json()) as { runId: string };
  const page = await openPage(`${url}/runs/${runId}/failures`);
  await page.getByLabel('User', { exact: true }).fill('rita');
  await page.getByLabel('Password', { exact: true }).fill('looks-only');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('.groups summary').first().waitFor();
  const main = page.getByRole('main');
  // The rows of failed documents only show a document.
  await main.locator('.rows button').first().waitFor();
  expect(await main.locator('button:visible:not(.rows *)').allTextContents()).toEqual([]);
  for (const path of ['', '/stages', '/log', '/config']) {
    await page.goto(`${url}/runs/${runId}${path}`);
    await main.getByRole('link', { name: 'Summary' }).waitFor();
    expect(await main.getByRole('button').allTextContents()).toEqual([]);
  }
  // Addresses of pages that a reader finds no link to.
  await page.goto(`${url}/configs/new`);
  await page.getByText('You cannot store configs').waitFor();
  expect(await accessibilityProblems(page)).toEqual({ light: [], dark: [] });
  await page.goto(`${url}/configs/${await storedConfig(url, headers, config)}/preview`);
  await page.getByText('You cannot preview configs').waitFor();
});

it('signing out asks before unsaved changes are lost', async () => {
  const { url } = await serve(serviceDirectory(`${USERS}    - { name: ada, password: may-everything, role: admin }\n`));
  const page = await openPage(`${url}/configs/new`);
  await page.getByLabel('User', { exact: true }).fill('ada');
  await page.getByLabel('Password', { exact: true }).fill('may-everything');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('textbox', { name: 'Config' }).click();
  await page.keyboard.insertText('# mine ');
  await page.getByText('not saved').waitFor();
  page.once('dialog', (dialog) => dialog.dismiss());
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('# mine').waitFor();
  page.once('dialog', (dialog) => dialog.accept());
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are signed out.').waitFor();
});

it('an operator may run and preview a config, but not change it', async () => {
  const admin = `${USERS}    - { name: ada, password: may-everything, role: admin }\n`;
  const { url } = await serve(serviceDirectory(admin));
  const authorization = `Basic ${Buffer.from('ada:may-everything').toString('base64')}`;
  const stored = await fetch(`${url}/v1/config/numbers`, {
    method: 'PUT',
    headers: { authorization, 'content-type': 'application/hocon' },
    body: 'connectors: [{ name: n, class: SequenceConnector, pipeline: p, numDocs: 3 }], pipelines: [{ name: p, stages: [] }], indexer { type: Nop }',
  });
  expect(stored.status).toBe(201);
  const page = await openPage(`${url}/configs/numbers`);
  await page.getByLabel('User', { exact: true }).fill('olga');
  await page.getByLabel('Password', { exact: true }).fill('runs-things');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
  await page.getByRole('link', { name: 'Preview' }).click();
  await page.getByRole('button', { name: '0', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('Succeeded', { exact: true }).first().waitFor();
});

it('the text of a config that is not saved is in the editor again after the session has ended', async () => {
  const { url } = await serve(serviceDirectory(`${USERS}    - { name: ada, password: may-everything, role: admin }\n`));
  const headers = { authorization: `Basic ${Buffer.from('ada:may-everything').toString('base64')}` };
  const config =
    'connectors: [{ name: n, class: SequenceConnector, numDocs: 1 }], pipelines: [], indexer { type: Nop }\n';
  const id = await storedConfig(url, headers, config);
  const page = await openPage(`${url}/configs/${id}`);
  let refuses = false;
  await page.route('**/v1/**', (route) =>
    refuses ? route.fulfill({ status: 401, json: { code: 'HR_UNAUTHORIZED' } }) : route.continue(),
  );
  const signIn = async () => {
    await page.getByLabel('User', { exact: true }).fill('ada');
    await page.getByLabel('Password', { exact: true }).fill('may-everything');
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  await signIn();
  const editor = page.locator('.cm-content');
  await editor.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('# not saved yet');
  // The service refuses the credentials, as after a change of the password.
  refuses = true;
  await page.keyboard.press('Control+s');
  await page.getByText('Your session has ended').waitFor();
  refuses = false;
  await signIn();
  await editor.getByText('# not saved yet').waitFor();
  await page.keyboard.press('Control+s');
  await page.getByText('version 2').waitFor();
});

it('what a user entered in the guided form is there again after the session has ended, but not for another user', async () => {
  const admins = `    - { name: ada, password: may-everything, role: admin }
    - { name: eve, password: may-everything, role: admin }
`;
  const directory = serviceDirectory(`${USERS}${admins}`);
  writeFileSync(join(directory, 'products.csv'), 'sku,name\n1,Chair\n');
  const { url } = await serve(directory);
  const page = await openPage(`${url}/load`);
  let refuses = false;
  await page.route('**/v1/**', (route) =>
    refuses ? route.fulfill({ status: 401, json: { code: 'HR_UNAUTHORIZED' } }) : route.continue(),
  );
  const signIn = async (user: string) => {
    await page.getByLabel('User', { exact: true }).fill(user);
    await page.getByLabel('Password', { exact: true }).fill('may-everything');
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  await signIn('ada');
  await page.getByLabel(/^Path of/).fill(join(directory, 'products.csv'));
  await page.getByRole('button', { name: 'Read the file' }).click();
  const name = page.getByLabel('Name of name in the index');
  await name.fill('title');
  const index = page.getByRole('textbox', { name: /^Index/ });
  await index.fill('articles');
  refuses = true;
  await page.getByRole('button', { name: 'Save and run' }).click();
  await page.getByText('Your session has ended').waitFor();
  refuses = false;
  await signIn('ada');
  expect(await name.inputValue()).toBe('title');
  expect(await index.inputValue()).toBe('articles');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await signIn('eve');
  expect(await page.getByLabel(/^Path of/).inputValue()).toBe('');
});

async function storedConfig(url: string, headers: Record<string, string>, config: string): Promise<string> {
  const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/hocon' }, body: config };
  const { configId } = (await (await fetch(`${url}/v1/config`, init)).json()) as { configId: string };
  return configId;
}
