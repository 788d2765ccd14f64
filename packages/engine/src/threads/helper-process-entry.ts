/**
 * The entry of a helper process. It calls the functions that a module exports, in the order of the requests: frames of
 * its standard input. Its answers are frames of descriptor 3. It ends when its input does.
 *
 * @module
 */
import { writeSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { FrameReader, frameHeader } from './frames.ts';
import type { HelperAnswer, HelperCall, HelperError } from './helper-messages.ts';

const ANSWERS = 3;
const functions = import(process.argv[2] as string);
/** The first frame is not a call. */
let isInput = process.argv[3] === 'input';

const reader = new FrameReader(Number.MAX_SAFE_INTEGER, (content) => {
  if (isInput) {
    isInput = false;
    // The first call reports an error of the module.
    functions.then(
      (module) => module.receive(content),
      () => undefined,
    );
  } else void answer(deserialize(content) as HelperCall);
});
process.stdin.on('data', (bytes: Buffer) => reader.add(bytes));
process.stdin.on('end', () => process.exit());
process.stdin.on('error', () => process.exit());
// Ctrl-C, service managers and a closed terminal signal all processes of a group. The run may still need this one to end
// properly.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

async function answer({ id, name, args }: HelperCall): Promise<void> {
  let answer: HelperAnswer;
  try {
    answer = { id, value: await (await functions)[name](...args) };
  } catch (error) {
    answer = { id, error: errorOf(error) };
  }
  const content = serialize(answer);
  write(frameHeader(content.length));
  write(content);
}

function write(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(ANSWERS, bytes, at);
}

function errorOf(error: unknown): HelperError {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message, code, hint } = error as Error & Omit<HelperError, 'message'>;
  return { message, code, hint };
}
