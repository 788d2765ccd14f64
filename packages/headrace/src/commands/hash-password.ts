import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { hashPassword as hash } from '@headrace/service';
import { CommandError, EXIT } from '../process/exit-code.ts';
import { writeLines } from '../process/output.ts';
import { signalExitCode } from '../process/stop-signals.ts';

/** `headrace hash-password`: prints the hash that replaces the password of a user in the service file. */
export async function hashPassword(): Promise<number> {
  const password = process.stdin.isTTY ? await askTwice() : await readLine();
  if (password === '') throw new CommandError('The password is empty.', EXIT.invalid);
  writeLines('stdout', [await hash(password)]);
  return EXIT.ok;
}

async function readLine(): Promise<string> {
  const line = (await readText(process.stdin)).replace(/\r?\n$/, '');
  if (!/[\r\n]/.test(line)) return line;
  throw new CommandError('The password must be a single line on standard input.', EXIT.invalid);
}

/** Asks for the password twice, because users cannot see what they type. */
async function askTwice(): Promise<string> {
  const password = await ask('Password: ');
  if ((await ask('Repeat the password: ')) === password) return password;
  throw new CommandError('The passwords differ.', EXIT.invalid);
}

/** Asks on the terminal, without showing the input. Ctrl-C and Ctrl-D end the command. */
async function ask(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  const given = new AbortController();
  lines.once('SIGINT', () => lines.close());
  lines.once('close', () => given.abort());
  process.stderr.write(question);
  try {
    return await lines.question('', { signal: given.signal });
  } catch (error) {
    if (!given.signal.aborted) throw error;
    throw new CommandError('No password was given.', signalExitCode('SIGINT'));
  } finally {
    process.stderr.write('\n');
    lines.close();
  }
}
