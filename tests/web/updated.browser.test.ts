import { expect, it } from 'vitest';
import { accessibilityProblems } from './accessibility.ts';
import { openPage } from './browser.ts';
import { serviceForFile } from './service.ts';

it('a tab says that the service was updated if the code of a page is gone, and is right after it is loaded again', async () => {
  const url = await serviceForFile();
  const page = await openPage(url);
  await page.getByText('This service has no config yet').or(page.getByText('Nothing has run here yet')).waitFor();
  // A newer version has other names for its code.
  const index = await (await fetch(url)).text();
  await page.route(`${url}/`, (route) =>
    route.fulfill({ contentType: 'text/html', body: index.replaceAll(/index-[\w-]+\.js/g, 'index-newer.js') }),
  );
  await page.route('**/assets/system-*.js', (route) => route.fulfill({ status: 404 }));
  await page.getByRole('link', { name: 'System' }).click();
  await page.getByRole('alert').getByText('The service was updated').waitFor();
  expect(await page.getByText('The page could not be loaded').count()).toBe(0);
  expect(await accessibilityProblems(page)).toEqual({ light: [], dark: [] });
  // Other pages that this tab has loaded still work.
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.getByRole('link', { name: 'System' }).click();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Reload the page' }).click();
  await page.getByRole('heading', { name: 'Checks' }).waitFor();
  expect(await page.getByText('The service was updated').count()).toBe(0);
});

it('a tab says that the service was updated as soon as the service answers again', async () => {
  const url = await serviceForFile();
  const page = await openPage(`${url}/system`);
  await page.getByRole('heading', { name: 'Checks' }).waitFor();
  await page.route('**/v1/**', (route) => route.abort());
  await page.getByText('The service does not answer. This page').waitFor();
  await page.route(`${url}/`, (route) => route.fulfill({ contentType: 'text/html', body: '<p>newer</p>' }));
  await page.unroute('**/v1/**');
  await page.getByRole('alert').getByText('The service was updated').waitFor();
});
