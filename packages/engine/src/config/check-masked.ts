import type { ConfigNode, ObjectNode } from '@headrace/hocon';
import { asList, join, place } from '../component/config-nodes.ts';
import type { Problem } from '../errors/problem.ts';
import { isMaskedWhole, type Secrecy, secrecyOf } from './secret-names.ts';
import { MASK } from './secret-parts.ts';

/**
 * Finds secrets whose value is the mask: the user sent back a config that the service had shown with masked secrets.
 * The problems are warnings, because the service can store the config. A run of this config will probably fail.
 */
export function maskedSecrets(root: ObjectNode): Problem[] {
  const problems: Problem[] = [];
  const pending: { node: ConfigNode; path: string; secrecy: Secrecy }[] = [{ node: root, path: '', secrecy: 'shown' }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, path, secrecy } = next;
    if (node.kind === 'object') {
      for (const [key, child] of node.entries)
        pending.push({ node: child, path: join(path, key), secrecy: secrecyOf(secrecy, key) });
    } else if (node.kind === 'list') {
      for (const [i, child] of (asList(node) ?? []).entries())
        pending.push({ node: child, path: join(path, i), secrecy });
    } else if (node.kind === 'string' && isMasked(node.value, isMaskedWhole(secrecy))) {
      problems.push({
        severity: 'warning',
        code: 'HR_CONFIG_INVALID_VALUE',
        path,
        ...place(node.origin),
        message: `The value of this secret is ${MASK}, which the service shows instead of secrets`,
        hint: 'If you save a config with its masked secrets, the stored ones are kept. Otherwise write the real secret.',
      });
    }
  }
  return problems.reverse();
}

/**
 * Returns true if a text contains the mask. The service masks the whole value of a secret key, and a part of other
 * values: a user, a password, a path or a parameter of a URL, or a setting.
 */
function isMasked(text: string, masksWhole: boolean): boolean {
  if (masksWhole && text === MASK) return true;
  return text.includes(`=${MASK}`) || (text.includes('://') && /[/?&;:]\*{6}/.test(text));
}
