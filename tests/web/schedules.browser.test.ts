import { beforeAll, describe, expect, it } from 'vitest';
import { serve, serviceDirectory, upload } from '../service/served.ts';
import { openPage } from './browser.ts';
import { serviceForFile } from './service.ts';

const CONFIG = `
connectors: [{ name: numbers, class: SequenceConnector, pipeline: main, numDocs: 3 }]
pipelines: [{ name: main, stages: [] }]
indexer { type: Nop }
`;

describe('the schedule of a config', () => {
  let url: string;

  beforeAll(async () => {
    url = await serviceForFile();
  });

  it('is set with a form, shows its next times, and is paused, continued and removed', async () => {
    const id = await upload(url, CONFIG);
    const page = await openPage(`${url}/configs/${id}`);
    await page.getByRole('link', { name: 'Schedule', exact: true }).click();
    await page.getByText('Every day at 03:00 UTC').waitFor();
    await page.getByLabel('Repeat').selectOption('Every week');
    await page.getByLabel(/^Day/).selectOption('Friday');
    await page.getByLabel('Time', { exact: true }).fill('18:30');
    await page.getByLabel('Time zone').selectOption('Europe/Berlin');
    await page.getByText('Every Friday at 18:30 Europe/Berlin').waitFor();
    await expect.poll(() => page.getByText(/^Fri, .*18:30$/).count()).toBe(3);
    await page.getByLabel('Labels of the runs').fill('job:weekly');
    await page.getByRole('button', { name: 'Set the schedule' }).click();
    const current = page.getByRole('region', { name: 'Current schedule' });
    await current.getByText('Every Friday at 18:30').waitFor();
    const stored = await (await fetch(`${url}/v1/config/${id}/schedule`)).json();
    expect(stored).toMatchObject({ cron: '30 18 * * 5', timezone: 'Europe/Berlin', labels: { job: 'weekly' } });

    await page.goto(`${url}/configs`);
    await page
      .getByRole('row', { name: new RegExp(id) })
      .getByText(/^in \d/)
      .waitFor();
    await page.goBack();
    await current.getByRole('button', { name: 'Pause' }).click();
    await current.getByText('Paused.').waitFor();
    await current.getByRole('button', { name: 'Continue' }).click();
    // The text about the pause goes, and the buttons move: a click before that may miss.
    await current.getByRole('button', { name: 'Pause' }).waitFor();
    await current.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Run this config by itself').waitFor();
    expect((await fetch(`${url}/v1/config/${id}/schedule`)).status).toBe(404);
  });

  it('explains a wrong expression, works by keyboard alone, and is on the overview', async () => {
    const id = await upload(url, CONFIG);
    const page = await openPage(`${url}/configs/${id}/schedule`);
    await page.getByLabel('Repeat').focus();
    // One key is enough. More of them count as one word only if they come in the same second.
    await page.keyboard.press('c');
    await page.getByLabel(/^Expression/).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText('0 25 * * *');
    await page.getByText('The hour 25 of the cron expression is not valid').waitFor();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText('*/15 8-18 * * *');
    await page.getByText('Every 15 minutes, between 08:00 and 18:59 UTC').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Current schedule' }).waitFor();

    await page.goto(url);
    await page.getByRole('heading', { name: 'Scheduled' }).waitFor();
    await page.getByText('*/15 8-18 * * * UTC').waitFor();
    await page.getByRole('listitem').filter({ hasText: '*/15' }).getByRole('link', { name: id }).click();
    await page.waitForURL(`${url}/configs/${id}/schedule`);
    await page.getByRole('region', { name: 'Current schedule' }).waitFor();
  });

  it('keeps overrides when another setting changes', async () => {
    const id = await upload(url, CONFIG);
    await fetch(`${url}/v1/config/${id}/schedule`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ cron: '0 3 * * *', overrides: { 'connectors.0.numDocs': 5, password: 'hidden' } }),
    });
    const page = await openPage(`${url}/configs/${id}/schedule`);
    await page.getByLabel('Repeat').selectOption('Every hour');
    await page.getByLabel('Minute').fill('7');
    await page.getByRole('button', { name: 'Save the schedule' }).click();
    const current = page.getByRole('region', { name: 'Current schedule' });
    await current.getByText('Every hour, 7 min past UTC').waitFor();
    await current.getByText('{"connectors":{"0":{"numDocs":5}},"password":"******"}').waitFor();
  });
});

it('the page of a run names the time of its schedule, and the overview shows both', async () => {
  const url = await serviceForFile('limits: { minScheduleSeconds: 1 }\n');
  const id = await upload(url, CONFIG);
  await fetch(`${url}/v1/config/${id}/schedule`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: '{"cron": "* * * * * *"}',
  });
  const page = await openPage(url);
  await page.getByRole('heading', { name: 'Latest' }).waitFor();
  await page.getByRole('heading', { name: 'Scheduled' }).waitFor();
  // Not with the mouse: each second, a new run moves the links down.
  await page.locator('a[href^="/runs/"]').first().press('Enter');
  await page.getByText('Scheduled for').waitFor();
  await page.getByRole('link', { name: 'schedule', exact: true }).click();
  await page.waitForURL(`${url}/configs/${id}/schedule`);
});

it('a reader sees the schedule, and cannot change it', async () => {
  const users = `auth:
  type: basicAuth
  users:
    - { name: rita, password: looks-only, role: reader }
    - { name: ada, password: may-everything, role: admin }
`;
  const { url } = await serve(serviceDirectory(users));
  const authorization = `Basic ${Buffer.from('ada:may-everything').toString('base64')}`;
  const put = (path: string, type: string, body: string) =>
    fetch(url + path, { method: 'PUT', headers: { authorization, 'content-type': type }, body });
  await put('/v1/config/numbers', 'application/hocon', CONFIG);
  await put('/v1/config/numbers/schedule', 'application/json', '{"cron": "0 3 * * *"}');
  const page = await openPage(`${url}/configs/numbers/schedule`);
  await page.getByLabel('User', { exact: true }).fill('rita');
  await page.getByLabel('Password', { exact: true }).fill('looks-only');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Every day at 03:00 UTC').waitFor();
  await page.getByText('by ada').waitFor();
  for (const name of ['Pause', 'Remove', 'Save the schedule']) {
    expect(await page.getByRole('button', { name }).count()).toBe(0);
  }
});
