import { renderPath } from '../lexing/path.ts';
import type { Origin } from '../tree/node.ts';
import type { ProblemList } from '../tree/problem.ts';
import type { BrokenNode, Raw, ReferenceNode } from '../tree/raw.ts';

/** Reports the problems of substitutions. If a value is missing, returns a placeholder node. */
export class ResolveProblems {
  readonly #problems: ProblemList;

  constructor(problems: ProblemList) {
    this.#problems = problems;
  }

  missing({ path, prefix, origin }: ReferenceNode): BrokenNode {
    const name = renderPath(path.slice(prefix));
    const hint = `define ${name}, or write \${?${name}} where it may be missing`;
    this.#problems.add('undefined-substitution', origin, `\${${name}} is not defined`, hint);
    return broken(origin);
  }

  cyclic({ path, origin }: ReferenceNode): BrokenNode {
    const hint = 'write the value without the substitution, or write ${?...} where it may be missing';
    this.#problems.add('cyclic-substitution', origin, `\${${renderPath(path)}} refers to itself`, hint);
    return broken(origin);
  }

  notJoinable(left: Raw, right: Raw, origin: Origin): BrokenNode {
    const message = `${inWords(left)} cannot be joined with ${inWords(right)}`;
    this.#problems.add('cannot-join', origin, message, 'join only values of the same type: strings, lists or objects');
    return broken(origin);
  }

  tooLarge(limit: number, origin: Origin): void {
    const message = `substitutions make the config larger by more than ${limit} values`;
    this.#problems.add('result-too-large', origin, message, 'refer to large values less often');
  }

  tooDeep(limit: number, origin: Origin): void {
    const message = `substitutions nest values deeper than ${limit} levels`;
    this.#problems.add('result-too-large', origin, message, 'flatten the config');
  }
}

export function broken(origin: Origin): BrokenNode {
  return { kind: 'broken', origin };
}

function inWords(node: Raw): string {
  switch (node.kind) {
    case 'object':
      return 'an object';
    case 'list':
      return 'a list';
    case 'null':
      return 'null';
    default:
      return `a ${node.kind}`;
  }
}
