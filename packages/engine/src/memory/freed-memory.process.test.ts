import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { FreedMemory } from './freed-memory.ts';

/** Allocates 400 MiB in blocks as those of HTTP answers, and ends. */
const ALLOCATE = `const blocks = Array.from({ length: 25_600 }, () => Buffer.allocUnsafeSlow(16 * 1024).fill(1));
process.exitCode = blocks.length > 0 ? 0 : 1;`;

const residentMb = () => process.memoryUsage.rss() / 2 ** 20;
const { glibcVersionRuntime } = (process.report.getReport() as { header: { glibcVersionRuntime?: string } }).header;

it.runIf(glibcVersionRuntime !== undefined)('gives back the memory of ended threads', async () => {
  const before = residentMb();
  const thread = new Worker(ALLOCATE, { eval: true });
  await once(thread, 'exit');
  // Otherwise this test shows nothing.
  expect(residentMb() - before).toBeGreaterThan(300);
  new FreedMemory().returnSoon();
  await expect.poll(() => residentMb() - before).toBeLessThan(150);
});
