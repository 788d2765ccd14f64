import { chromiumPath } from '../web/chromium.ts';

/** Unpacks Chromium once, before several test files need it at the same time. */
export async function setup(): Promise<void> {
  await chromiumPath();
}
