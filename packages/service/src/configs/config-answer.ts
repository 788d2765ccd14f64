import { createHash } from 'node:crypto';
import { configToJson, maskSecrets } from '@headrace/engine';
import type { ConfigRoot } from './config-source.ts';

/**
 * The answer of GET for a config: JSON with secrets masked. The digest is computed from the masked JSON. A digest of
 * the real values would let every reader test guesses of a password against it.
 */
export function configAnswer(root: ConfigRoot): { answer: string; digest: string } {
  const answer = configToJson(maskSecrets(root));
  return { answer, digest: createHash('sha256').update(answer).digest('hex') };
}
