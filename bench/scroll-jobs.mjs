import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { chromiumPath } from '../tests/web/chromium.ts';
import { CONFIGS, FAILURES, RUNS, seedConfigs, seedStore } from '../tests/web/seeded-store.ts';
import { inDirectory } from './measure.mjs';
import { ended, serve, startRun, upload } from './service.mjs';

/** How many frames a list is scrolled, and how far in each: a fast turn of the wheel. */
const FRAMES = 900;
const STEP = 240;
/** Two frames at 60 Hz. A longer frame is visible as a jerk. */
const SLOW_MILLIS = 33.4;
const config = `connectors: [{class: SequenceConnector, name: c, pipeline: p, numDocs: 1}]
pipelines: [{name: p, stages: []}]
indexer { class: NopIndexer }
`;

/** Measures the frames in Chromium while the longest lists of the web application scroll and load their rows. */
export function scrollJobs() {
  return inDirectory(async (directory) => {
    const first = await serve(directory);
    const runId = await startRun(first.url, await upload(first.url, config));
    await ended(first.url, runId, 1);
    await first.stop();
    seedConfigs(join(directory, 'store'));
    seedStore(join(directory, 'store'), runId, 1);
    const service = await serve(directory);
    const browser = await chromium.launch({
      executablePath: await chromiumPath(),
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    });
    try {
      const scrolled = async (what, path, list) => {
        const { slow, longest } = await scroll(browser, service.url + path, list);
        return [
          { job: `web: frames over 33 ms, scrolling ${what}`, value: slow * 100, unit: '%', goal: '< 5' },
          { job: `web: longest frame, scrolling ${what}`, value: longest, unit: 'ms' },
        ];
      };
      return [
        ...(await scrolled(`${CONFIGS} configs`, '/configs', '[role=rowgroup]')),
        ...(await scrolled(`${RUNS} runs`, '/runs', '[role=rowgroup]')),
        ...(await scrolled(`${FAILURES} failures`, `/runs/${runId}/failures`, 'details[open] .rows')),
      ];
    } finally {
      await browser.close();
      await service.stop();
    }
  });
}

/** Scrolls a list while it loads. Returns the share of slow frames, and the longest one in milliseconds. */
async function scroll(browser, url, list) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(url);
  await page.locator(list).waitFor();
  const frames = await page.evaluate(scrollInPage, { list, frames: FRAMES, step: STEP });
  await page.close();
  return { slow: frames.filter((millis) => millis > SLOW_MILLIS).length / frames.length, longest: Math.max(...frames) };
}

/** In the page: scrolls in each frame, and returns the milliseconds of the frames. */
async function scrollInPage({ list, frames, step }) {
  const element = document.querySelector(list);
  const area = getComputedStyle(element).overflowY === 'auto' ? element : document.scrollingElement;
  const times = [];
  while (times.length <= frames) {
    times.push(await new Promise(requestAnimationFrame));
    area.scrollTop += step;
  }
  return times.slice(1).map((time, i) => time - times[i]);
}
