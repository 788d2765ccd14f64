/**
 * The module of a helper process that tries to break out.
 *
 * @module
 */
let received: Uint8Array | undefined;

export function receive(input: Uint8Array): void {
  received = input;
}

export function receivedText(): string | undefined {
  return received && Buffer.from(received).toString();
}

/** Evaluates expressions. Returns for each the code or name of its error, or its value as a text. */
export async function attempts(expressions: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [name, text] of Object.entries(expressions)) {
    try {
      const work = new Function('fs', 'net', 'child', `return (async () => ${text})()`);
      const [fs, net, child] = await Promise.all([import('node:fs'), import('node:net'), import('node:child_process')]);
      found[name] = String(await work(fs, net, child));
    } catch (error) {
      const { code, name: kind } = error as Error & { code?: string };
      found[name] = code ?? kind;
    }
  }
  return found;
}

/** Never ends, and blocks the event loop. */
export function compute(): never {
  for (;;) Math.random();
}

export function pid(): number {
  return process.pid;
}
