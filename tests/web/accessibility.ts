import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

/** The rules of accessibility as a script for the page. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Returns what breaks the rules of WCAG 2.2 AA on the page, in light and in dark. */
export async function accessibilityProblems(page: Page): Promise<{ light: unknown[]; dark: unknown[] }> {
  await page.evaluate(AXE);
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await violations(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  return { light, dark: await violations(page) };
}

async function violations(page: Page): Promise<unknown[]> {
  const result = await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) =>
      violations.map(({ id, nodes }) => ({ id, nodes: nodes.slice(0, 3).map(({ html, failureSummary }) => html + ' ' + failureSummary) })))`,
  );
  return result as unknown[];
}
