import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, expect } from 'vitest';
// Its hooks are registered first, so that they run last: pages are closed before their service is killed.
import '../cli/headrace.ts';
import { chromiumPath } from './chromium.ts';

/** The time limit: a page takes long on a busy machine. */
const TIMEOUT_MILLIS = 90_000;

let running: Promise<Browser> | undefined;
const pages: Page[] = [];
const problems: string[] = [];

afterAll(async () => {
  await (await running)?.close();
  running = undefined;
});

afterEach(async ({ task }) => {
  for (const page of pages.splice(0)) {
    if (task.result?.state === 'fail') await printContent(page);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    // A page requests its content again and again.
    await page.context().close();
  }
  // Violations of the content security policy and uncaught errors appear in the console.
  expect(problems.splice(0)).toEqual([]);
});

interface PageOptions extends BrowserContextOptions {
  /** A script that runs before those of each page. */
  readonly script?: string;
}

/** Opens a page of the service for one test. The test fails if the page has errors. */
export async function openPage(url: string, { script, ...options }: PageOptions = {}): Promise<Page> {
  running ??= launch();
  const browser = await running;
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    locale: 'en-GB',
    ...options,
  });
  context.setDefaultTimeout(TIMEOUT_MILLIS);
  if (script !== undefined) await context.addInitScript(script);
  const page = await context.newPage();
  const { origin } = new URL(url);
  page.on('pageerror', (error) => problems.push(`uncaught error: ${error.message}`));
  page.on('console', (message) => {
    // The browser also reports answers such as 401 and 409 as errors, and requests to a killed service.
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
      problems.push(`${message.text()} ${JSON.stringify(message.location())}`);
  });
  page.on('request', (request) => {
    const target = request.url();
    if (!target.startsWith(origin) && !target.startsWith('data:'))
      problems.push(`a request leaves the host: ${target}`);
  });
  pages.push(page);
  await page.goto(url);
  return page;
}

async function printContent(page: Page): Promise<void> {
  const text = await page
    .locator('body')
    .textContent({ timeout: 1_000 })
    .catch(() => 'no page');
  console.error(`The page ${page.url()} shows:\n${text?.slice(0, 3_000)}`);
}

async function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: await chromiumPath(),
    // Tests run as root in containers, where the sandbox of Chromium does not work. The tests open only pages of
    // Headrace.
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
}
