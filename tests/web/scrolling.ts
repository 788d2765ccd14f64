import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Where the jumps of `expectNoGaps` go, as parts of the height of the list. */
const JUMPS = [0, 1, 0.5, 0.1, 0.9, 0.37];

/** In the page: scrolls a list, and counts the places in its visible part with and without a row. */
const JUMP = `async (list, row, part) => {
  const scrolls = getComputedStyle(list).overflowY === 'auto';
  const area = scrolls ? list : document.scrollingElement;
  area.scrollTop = part * (area.scrollHeight - area.clientHeight);
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
  const { left, top, bottom } = list.getBoundingClientRect();
  // The bar and the header of a table cover the first rows of a page that is scrolled.
  const first = scrolls ? top : Math.max(top, 48 + 36);
  const counts = { rows: 0, gaps: 0 };
  for (let y = first + 10; y < Math.min(bottom, innerHeight); y += 20) {
    counts[document.elementFromPoint(left + 40, y)?.closest(row) ? 'rows' : 'gaps']++;
  }
  return counts;
}`;

/**
 * Jumps through a long list. Expects that the rows fill its visible part two frames after each jump, and that the jumps
 * send no requests to the API.
 * @param list a selector of the element with the rows, which has its scroll bar or is in a page that scrolls
 * @param row a selector of the rows
 */
export async function expectNoGaps(page: Page, list: string, row: string): Promise<void> {
  const requests: string[] = [];
  const note = (request: { url(): string }) => {
    if (request.url().includes('/v1/')) requests.push(request.url());
  };
  page.on('request', note);
  for (const part of JUMPS) {
    const { rows, gaps } = await page.evaluate<{ rows: number; gaps: number }>(
      `(${JUMP})(document.querySelector('${list}'), '${row}', ${part})`,
    );
    expect({ part, gaps }).toEqual({ part, gaps: 0 });
    expect(rows).toBeGreaterThan(10);
  }
  page.off('request', note);
  expect(requests).toEqual([]);
}
