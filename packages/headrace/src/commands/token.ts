import { newToken } from '@headrace/service';
import { EXIT } from '../process/exit-code.ts';
import { writeLines } from '../process/output.ts';

/** `headrace token`: prints a new API token, and its hash for the service file. */
export async function token(): Promise<number> {
  const { token, tokenHash } = newToken();
  writeLines('stdout', [`token: ${token}`, `tokenHash: ${tokenHash}`]);
  return EXIT.ok;
}
