import { chromium } from 'playwright-core';
import { chromiumPath } from '../tests/web/chromium.ts';
import { inDirectory, median } from './measure.mjs';
import { ended, serve, startRun, upload } from './service.mjs';

const ROUNDS = 15;
const config = `connectors: [{class: SequenceConnector, name: c, pipeline: p, numDocs: 10}]
pipelines: [{name: p, stages: [{class: TrimWhitespace, fields: [a]}]}]
indexer { class: NopIndexer }
`;

/**
 * Measures the web application in Chromium: from the click on a link until a page without anything in its cache can be
 * used, and from a key in the editor until the preview shows the new result.
 */
export function webJobs() {
  return inDirectory(async (directory) => {
    const service = await serve(directory);
    const browser = await chromium.launch({
      executablePath: await chromiumPath(),
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    });
    try {
      const id = await upload(service.url, config);
      await ended(service.url, await startRun(service.url, id), 1);
      const opened = async (job, path, usable) => {
        const value = await open(browser, service.url + path, usable);
        return { job, value, unit: 's', goal: '< 1' };
      };
      return [
        await opened('web: the overview can be used', '/', 'a[href^="/runs/"]'),
        await opened('web: the list of runs can be used', '/runs', '[role=row] a[href^="/runs/"]'),
        await opened('web: the editor can be used', `/configs/${id}`, '.cm-content[contenteditable=true]'),
        {
          job: 'web: a key in the example until its preview',
          value: await previewOfKey(browser, `${service.url}/configs/new?start=example`),
          unit: 'ms',
          goal: '< 300',
        },
        ...(await slowestPreviews(service.url)),
      ];
    } finally {
      await browser.close();
      await service.stop();
    }
  });
}

/** Returns the seconds from the start of the navigation until an element is there. The cache is empty each time. */
async function open(browser, url, usable) {
  const seconds = [];
  for (let i = 0; i < ROUNDS; i++) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.addInitScript(watch, usable);
    await page.goto(url);
    seconds.push((await page.evaluate(() => window.found)) / 1000);
    await context.close();
  }
  return median(seconds);
}

/** In the page: `found` becomes the time at which the page was drawn with the element. */
function watch(usable) {
  window.found = new Promise((resolve) => {
    const look = () => {
      if (document.querySelector(usable) === null) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
    };
    const observer = new MutationObserver(look);
    observer.observe(document, { childList: true, subtree: true, attributes: true });
  });
}

/** Returns the milliseconds from a key in the text of the example until the preview shows what it changes. */
async function previewOfKey(browser, url) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 4000 } });
  await page.goto(url);
  await page.getByText('Preview while you edit').click();
  await page.getByText('Product 0 in Harbour street').first().waitFor();
  const word = page.locator('.cm-line', { hasText: '"Product {id} in {shop}"' });
  const { width } = await word.boundingBox();
  await word.click({ position: { x: Math.min(width, 400), y: 8 } });
  await page.keyboard.press('End');
  // The cursor goes to the end of the text in quotes.
  for (const _ of '" }') await page.keyboard.press('ArrowLeft');
  const millis = [];
  for (let i = 0; i < ROUNDS; i++) {
    await page.evaluate(waitForText, `Harbour street${'x'.repeat(i + 1)}`);
    await page.keyboard.press('x');
    millis.push(await page.evaluate(() => window.shown));
  }
  return median(millis);
}

/**
 * Measures how long the service takes for the preview of each example that needs no server, with the document after each
 * stage. Returns the slowest example without Python, and the slowest of all: each preview with Python starts a process. Until
 * a page shows the result, add 80 ms of pause and the drawing.
 */
async function slowestPreviews(url) {
  const stages = await (await fetch(`${url}/v1/config-info/stage-list`)).json();
  const headers = { 'content-type': 'application/json' };
  const found = [];
  for (const stage of stages) {
    for (const { needs, documents = [], params = {}, config = configOf(stage.class, params) } of stage.examples ?? []) {
      if (needs !== undefined || documents.length === 0) continue;
      const body = JSON.stringify({ config, documents, trace: true });
      const millis = [];
      for (let i = 0; i < 5; i++) {
        const started = performance.now();
        const answer = await fetch(`${url}/v1/preview`, { method: 'POST', headers, body });
        const text = await answer.text();
        if (!answer.ok) throw new Error(`The example of ${stage.class} has no preview: ${text}`);
        millis.push(performance.now() - started);
      }
      found.push({ name: stage.class, millis: median(millis) });
    }
  }
  found.sort((a, b) => b.millis - a.millis);
  const row = (examples) => {
    const [{ name, millis: value }] = examples;
    return { job: `web: slowest preview of ${examples.length} examples (${name})`, value, unit: 'ms', goal: '< 190' };
  };
  return [row(found.filter(({ name }) => !/Python/.test(name))), row(found)];
}

function configOf(stage, params) {
  return JSON.stringify({
    connectors: [{ name: 'source', pipeline: 'main', class: 'SequenceConnector', numDocs: 10 }],
    pipelines: [{ name: 'main', stages: [{ class: stage, ...params }] }],
    indexer: { type: 'Nop' },
  });
}

/** In the page: `shown` becomes the time from the next key until the page was drawn with the text. */
function waitForText(text) {
  let pressed;
  window.addEventListener('keydown', () => (pressed = performance.now()), { capture: true, once: true });
  window.shown = new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (pressed === undefined || !document.querySelector('main').textContent.includes(text)) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - pressed)));
    });
    observer.observe(document.body, { childList: true, subtree: true, characterData: true });
  });
}
