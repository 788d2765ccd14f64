import type { Origin } from './node.ts';

/** The kind of a problem: an exception of the reference, or `Limit` for a text that exceeds a limit. */
export type ProblemKind =
  | 'Parse'
  | 'BadPath'
  | 'WrongType'
  | 'UnresolvedSubstitution'
  | 'IO'
  | 'NotResolved'
  | 'BadValue'
  | 'Null'
  | 'Missing'
  | 'Limit';

/** A mistake in a text, its position, and what to do about it. */
export interface Problem {
  /** The stable code of the mistake, such as `missing-value`. */
  code: ProblemCode;
  kind: ProblemKind;
  message: string;
  file: string | undefined;
  line: number;
  column: number;
  hint: string | undefined;
}

/**
 * All codes with their kind and the phase in which the reference would report them: 1 while it reads the structure of
 * the text, 2 while it builds values, 3 while it resolves. Problems are listed by phase, then in the order of the text.
 */
export const problemCodes = {
  'reserved-character': { kind: 'Parse', phase: 1 },
  'control-character': { kind: 'Parse', phase: 1 },
  'bad-escape': { kind: 'Parse', phase: 1 },
  'unclosed-string': { kind: 'Parse', phase: 1 },
  'unclosed-substitution': { kind: 'Parse', phase: 1 },
  'unclosed-bracket': { kind: 'Parse', phase: 1 },
  'unexpected-close': { kind: 'Parse', phase: 1 },
  'unexpected-token': { kind: 'Parse', phase: 1 },
  'missing-value': { kind: 'Parse', phase: 1 },
  'missing-separator': { kind: 'Parse', phase: 1 },
  'missing-key': { kind: 'Parse', phase: 1 },
  'not-json': { kind: 'Parse', phase: 1 },
  'bad-include': { kind: 'Parse', phase: 1 },
  'bad-key': { kind: 'BadPath', phase: 1 },
  'too-deep': { kind: 'Limit', phase: 1 },
  'root-not-object': { kind: 'WrongType', phase: 2 },
  'bad-path': { kind: 'BadPath', phase: 2 },
  'duplicate-key': { kind: 'Parse', phase: 2 },
  'append-in-list': { kind: 'Parse', phase: 2 },
  'include-in-list': { kind: 'Parse', phase: 2 },
  'include-cycle': { kind: 'Parse', phase: 2 },
  'include-missing': { kind: 'IO', phase: 2 },
  'include-refused': { kind: 'IO', phase: 2 },
  'too-many-includes': { kind: 'Limit', phase: 2 },
  'includes-too-long': { kind: 'Limit', phase: 2 },
  'bad-properties': { kind: 'Parse', phase: 2 },
  'file-unreadable': { kind: 'IO', phase: 2 },
  'cannot-concatenate': { kind: 'WrongType', phase: 2 },
  'bad-override': { kind: 'BadPath', phase: 2 },
  'undefined-substitution': { kind: 'UnresolvedSubstitution', phase: 3 },
  'cyclic-substitution': { kind: 'UnresolvedSubstitution', phase: 3 },
  'cannot-join': { kind: 'WrongType', phase: 3 },
  'not-resolved': { kind: 'NotResolved', phase: 3 },
  'result-too-large': { kind: 'Limit', phase: 3 },
  'too-much-work': { kind: 'Limit', phase: 3 },
} as const satisfies Record<string, { kind: ProblemKind; phase: 1 | 2 | 3 }>;

export type ProblemCode = keyof typeof problemCodes;

/** A problem, and the phase in which the reference would report it. */
export interface FoundProblem {
  problem: Problem;
  phase: number;
}

/** Collects problems. Ignores problems above `max`, so that a hostile text cannot fill the memory. */
export class ProblemList {
  readonly #found: FoundProblem[] = [];
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#found.length;
  }

  add(code: ProblemCode, origin: Origin, message: string, hint?: string): void {
    if (this.#found.length >= this.#max) return;
    const { file, line, column } = origin;
    const { kind, phase } = problemCodes[code];
    const problem: Problem = { code, kind, message, file, line, column, hint };
    // A value that is resolved for several other values can be reported several times.
    if (this.#found.some((known) => isSame(known.problem, problem))) return;
    this.#found.push({ problem, phase });
  }

  /**
   * Ends an included text, whose problems start at an index. In the including text, they belong to phase 2, because
   * includes are read while its values are built.
   */
  endInclude(start: number): void {
    const included = byPhase(this.#found.splice(start));
    for (const { problem } of included) this.#found.push({ problem, phase: 2 });
  }

  /** Returns the first of the problems from an index on, in the order of the reference. */
  firstSince(start: number): FoundProblem | undefined {
    return byPhase(this.#found.slice(start))[0];
  }

  /** Removes the problems from an index on. */
  cut(start: number): void {
    this.#found.length = start;
  }

  /**
   * Moves a problem to the first position after an index. It may already be one of these problems. If it reports
   * unbalanced brackets, it replaces the first problem that says which bracket is wrong.
   */
  lead(start: number, first: FoundProblem): void {
    const found = this.#found.splice(start).map(({ problem, phase }) => {
      return { problem, phase: Math.max(phase, first.phase) };
    });
    const same = found.findIndex(({ problem }) => isSame(problem, first.problem));
    const { file, line, column } = first.problem;
    const bracket = found.findIndex(({ problem }) => {
      return problem.file === file && (problem.code === 'unclosed-bracket' || problem.code === 'unexpected-close');
    });
    if (same >= 0) found.unshift(...found.splice(same, 1));
    else if (bracket >= 0) {
      const [{ problem }] = found.splice(bracket, 1) as [FoundProblem];
      found.unshift({ problem: { ...problem, file, line, column }, phase: first.phase });
    } else found.unshift(explained(first, found));
    this.#found.push(...found.slice(0, this.#max - start));
  }

  /** Returns all problems by phase. Within a phase, they are in the order in which they were found. */
  list(): Problem[] {
    return byPhase(this.#found).map(({ problem }) => problem);
  }
}

/** Returns the problem of unbalanced brackets with its cause, if the cause is a substitution that extends too far. */
function explained(first: FoundProblem, others: FoundProblem[]): FoundProblem {
  const cause = others.find(
    ({ problem: { code } }) => code === 'bad-path' || code === 'unclosed-substitution',
  )?.problem;
  if (cause === undefined) return first;
  const message = `the brackets are unbalanced here, because the substitution on line ${cause.line} ends too late`;
  return { ...first, problem: { ...first.problem, message, hint: 'close ${ with }' } };
}

function isSame(a: Problem, b: Problem): boolean {
  return a.code === b.code && a.line === b.line && a.column === b.column && a.file === b.file;
}

function byPhase(found: FoundProblem[]): FoundProblem[] {
  return found.toSorted((a, b) => a.phase - b.phase);
}
