import { JavaRegexError } from './java-regex-error.ts';
import { lengthOf } from './lengths.ts';
import { childrenOf } from './references.ts';
import type { LookNode, Node } from './syntax.ts';

/**
 * JavaScript matches a lookbehind from its end to its start. Java tries the possible starts, the nearest first, and
 * matches forwards from each. Whether there is a match is the same for most bodies, which are unchanged. If the
 * direction matters (groups, atomic groups, back-references), the body is matched forwards from a known start.
 * @throws JavaRegexError if the direction matters and the length is unknown
 */
export function alignLookbehind(node: LookNode, pattern: string): Node {
  if (!showsDirection(node.body, node.negative)) return node.body;
  const aligned = align(node.body);
  if (aligned === undefined) {
    throw new JavaRegexError(
      'a lookbehind of variable length with a capturing group, a back-reference, an atomic group or a possessive quantifier in it is not supported; use (?:…) and plain quantifiers, or a fixed length',
      pattern,
      node.position,
    );
  }
  return aligned;
}

function showsDirection(node: Node, negative: boolean): boolean {
  if (node.type === 'atomic' || node.type === 'reference' || node.type === 'grapheme') return true;
  if (node.type === 'repeat' && node.mode === 'possessive') return true;
  // A negative lookbehind always drops the matches of its groups.
  if (node.type === 'group' && !negative) return true;
  return childrenOf(node).some((child) => showsDirection(child, negative));
}

function align(node: Node): Node | undefined {
  const { min, max } = lengthOf(node);
  if (min === max) return { type: 'forward', body: node, length: min };
  if (node.type === 'group') {
    const body = align(node.body);
    return body === undefined ? undefined : { ...node, body };
  }
  if (node.type !== 'alternation') return undefined;
  const options = node.options.map((option) => ({ option, ...lengthOf(option) }));
  if (options.some((option) => option.min !== option.max)) return undefined;
  options.sort((a, b) => a.min - b.min);
  return {
    type: 'alternation',
    options: options.map(({ option, min: length }) => ({ type: 'forward', body: option, length })),
  };
}
