/**
 * The entry of a helper process. It calls the functions that a module exports, in the order of the requests. It ends when
 * its parent does.
 *
 * @module
 */
import type { HelperAnswer, HelperCall, HelperError } from './helper-messages.ts';

const functions = import(process.argv[2] as string);

process.on('message', async ({ id, name, args }: HelperCall) => {
  let answer: HelperAnswer;
  try {
    answer = { id, value: await (await functions)[name](...args) };
  } catch (error) {
    answer = { id, error: errorOf(error) };
  }
  process.send?.(answer);
});
process.on('disconnect', () => process.exit());
// Ctrl-C, service managers and a closed terminal signal all processes of a group. The run may still need this one to end properly.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

function errorOf(error: unknown): HelperError {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message, code, hint } = error as Error & Omit<HelperError, 'message'>;
  return { message, code, hint };
}
