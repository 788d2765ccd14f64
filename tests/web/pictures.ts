import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** The pictures in the docs. */
const PICTURES = fileURLToPath(new URL('../../docs/images/', import.meta.url));
/** A picture in the docs must load quickly. */
const MAX_BYTES = 150 * 1024;
/** Pictures are compared in cells of so many pixels, because glyphs may differ by a fraction of a pixel. */
const CELL = 4;
/** How much a cell may differ, of 255, and which share of the cells may differ more. */
const MAX_DIFFERENCE = 40;
const MAX_SHARE = 0.01;
/** The id of every run. */
const RUN_ID = '0b6f7f4e-4d8e-4a53-8a1f-6a2f8f3c9e70';
/** The time that the page shows, and when its runs started and ended. */
const NOW = 1_795_267_980;
const STARTED = NOW - 14;

const require = createRequire(import.meta.url);
const FONTS = [
  ['Picture', require.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2')],
  ['Picture mono', require.resolve('@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2')],
] as const;

/** The options of a page for pictures: it may load the fonts, and its size and its times are fixed. */
export const PICTURE_PAGE = { bypassCSP: true, timezoneId: 'UTC', colorScheme: 'light' } as const;

/** What differs between two runs of the same test, and the value that a picture shows. */
const FIXED: Readonly<Record<string, unknown>> = {
  startTime: STARTED,
  endTime: STARTED + 12.4,
  createdTime: STARTED,
  updatedTime: STARTED,
  docsPerSecond: 1_935,
  meanMillis: 0.021,
  millis: 0.04,
  batches: 24,
};

/** Shows fixed values in place of times, rates and durations in all answers of the service. */
export async function fixAnswers(page: Page): Promise<void> {
  await page.clock.setFixedTime(NOW * 1000);
  await page.route('**/v1/**', async (route) => {
    const request = route.request();
    // A request that is sent again here would lose the content of an uploaded file.
    if (request.url().endsWith('/events') || request.method() === 'PUT') return route.continue();
    const response = await route.fetch({ timeout: 0 });
    const text = await response.text();
    const isJson = response.headers()['content-type']?.startsWith('application/json') === true;
    await route.fulfill({ response, body: isJson ? fixed(text) : text });
  });
}

function fixed(text: string): string {
  return JSON.stringify(JSON.parse(text), (key, value) => {
    if (key === 'items' && isSamples(value)) return SAMPLES;
    if (key in FIXED && typeof value === 'number') return FIXED[key];
    if (key === 'seconds' && typeof value === 'number') return 12.1;
    if (typeof value !== 'string') return value;
    return value.replace(/Time: [\d.]+ secs/g, 'Time: 12.10 secs').replace(/\/[^\s"]*headrace-pictures-\w+/g, '/data');
  });
}

function isSamples(value: unknown): boolean {
  return Array.isArray(value) && typeof value[0]?.finished === 'number';
}

/** A rate that rises, is steady, and falls at the end. */
const SAMPLES = Array.from({ length: 13 }, (_, i) => ({
  time: STARTED + i,
  finished: Math.round(2_000 * (i - Math.sin(i / 2) / 2)),
  failed: 0,
  pending: 0,
}));

/**
 * Compares a page with its picture in the docs. With the variable `UPDATE_PICTURES`, replaces the picture. Another
 * Chromium than that of the package draws differently, so that nothing is compared with it.
 */
export async function expectPicture(page: Page, name: string): Promise<void> {
  await page.addStyleTag({ content: styles() });
  await page.evaluate(`document.fonts.ready.then(() => {
    for (const { firstChild: text } of document.querySelectorAll('.mono')) {
      if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(text?.data)) text.data = '${RUN_ID}';
    }
    for (const { firstChild: text } of document.querySelectorAll('.inputs .number')) text.data = '24 ms';
  })`);
  const actual = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  const path = join(PICTURES, `${name}.png`);
  if (process.env.UPDATE_PICTURES !== undefined) {
    mkdirSync(PICTURES, { recursive: true });
    writeFileSync(path, actual);
  }
  expect(existsSync(path), `${path} exists; UPDATE_PICTURES=1 makes it`).toBe(true);
  const expected = readFileSync(path);
  expect(expected.length).toBeLessThan(MAX_BYTES);
  if (process.env.CHROMIUM_PATH !== undefined) return;
  const share = await differentShare(page, expected, actual);
  if (share <= MAX_SHARE) return;
  const kept = join(tmpdir(), `headrace-picture-${name}.png`);
  writeFileSync(kept, actual);
  expect.fail(
    `${Math.round(share * 100)} % of the page differ from docs/images/${name}.png. It looks like ${kept}. ` +
      'If that is right: UPDATE_PICTURES=1 npx vitest run tests/web/pictures.browser.test.ts',
  );
}

function styles(): string {
  const faces = FONTS.map(([family, file]) => {
    const data = readFileSync(file).toString('base64');
    return `@font-face { font-family: "${family}"; font-weight: 100 900; src: url(data:font/woff2;base64,${data}); }`;
  });
  return `${faces.join('\n')} :root { --font: "Picture"; --mono: "Picture mono"; }`;
}

/** Returns the share of cells that differ between two pictures. Chromium decodes and scales them. */
async function differentShare(page: Page, expected: Buffer, actual: Buffer): Promise<number> {
  const blank = await page.context().newPage();
  try {
    const pictures = [expected, actual].map((picture) => picture.toString('base64'));
    return await blank.evaluate<number>(
      `(async ({ pictures, cell, most }) => {
        const read = async (data) => {
          const image = await createImageBitmap(await (await fetch('data:image/png;base64,' + data)).blob());
          const [width, height] = [Math.ceil(image.width / cell), Math.ceil(image.height / cell)];
          const context = new OffscreenCanvas(width, height).getContext('2d');
          context.imageSmoothingQuality = 'high';
          context.drawImage(image, 0, 0, width, height);
          return { width, height, data: context.getImageData(0, 0, width, height).data };
        };
        const [one, other] = await Promise.all(pictures.map(read));
        if (one.width !== other.width || one.height !== other.height) return 1;
        let different = 0;
        for (let i = 0; i < one.data.length; i += 4) {
          if ([0, 1, 2].some((k) => Math.abs(one.data[i + k] - other.data[i + k]) > most)) different++;
        }
        return different / (one.data.length / 4);
      })(${JSON.stringify({ pictures, cell: CELL, most: MAX_DIFFERENCE })})`,
    );
  } finally {
    await blank.close();
  }
}
