import { createHash } from 'node:crypto';
import { configToJson, maskSecrets } from '@headrace/engine';
import type { ConfigRoot } from './config-source.ts';

/**
 * What GET answers for a config: JSON with secrets masked. The digest is taken of just that, so that it tells nothing
 * of a secret: a digest of the real values would let anybody who may read it try passwords against it.
 */
export function configAnswer(root: ConfigRoot): { answer: string; digest: string } {
  const answer = configToJson(maskSecrets(root));
  return { answer, digest: createHash('sha256').update(answer).digest('hex') };
}
