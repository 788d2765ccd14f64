import type { Origin } from './node.ts';

/** The family of a problem: the exceptions of the reference, and `Limit` for texts that ask for too much. */
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

/** Something wrong with a text, where it is, and what to do about it. */
export interface Problem {
  /** Stable name of the mistake, such as `missing-value`. */
  code: ProblemCode;
  kind: ProblemKind;
  message: string;
  file: string | undefined;
  line: number;
  column: number;
  hint: string | undefined;
}

/**
 * Every code with its kind and the phase in which the reference would notice: 1 while reading the structure of the
 * text, 2 while building values, 3 while resolving. Problems are listed by phase, then in the order of the text.
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

/** Collects problems. Above `max` further ones are counted out, so that a hostile text cannot fill the memory. */
export class ProblemList {
  readonly #items: Problem[] = [];
  /** The phase of each. */
  readonly #phases = new Map<Problem, number>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#items.length;
  }

  add(code: ProblemCode, origin: Origin, message: string, hint?: string): void {
    if (this.#items.length >= this.#max) return;
    const { file, line, column } = origin;
    // A value that is resolved for several others can be found wrong several times.
    const isKnown = (known: Problem) =>
      known.code === code && known.line === line && known.column === column && known.file === file;
    if (this.#items.some(isKnown)) return;
    const { kind, phase } = problemCodes[code];
    const problem: Problem = { code, kind, message, file, line, column, hint };
    this.#items.push(problem);
    this.#phases.set(problem, phase);
  }

  /**
   * Ends an included text, whose problems start at an index. For the including text they belong to phase 2, because
   * includes are read while its values are built.
   */
  endInclude(start: number): void {
    const included = this.#byPhase(this.#items.splice(start));
    for (const problem of included) {
      this.#items.push(problem);
      this.#phases.set(problem, 2);
    }
  }

  /** All problems, by phase; the order within a phase is the order in which they were found. */
  list(): Problem[] {
    return this.#byPhase(this.#items);
  }

  #byPhase(problems: Problem[]): Problem[] {
    return problems.toSorted((a, b) => this.#phases.get(a)! - this.#phases.get(b)!);
  }
}
