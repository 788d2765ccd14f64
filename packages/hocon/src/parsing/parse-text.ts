import type { ObjectNode } from '../tree/node.ts';
import type { FoundProblem } from '../tree/problem.ts';
import type { BracketRepairs } from './bracket-repairs.ts';
import { findRepairs } from './bracket-repairs.ts';
import { Parser } from './parser.ts';
import { parseProperties } from './properties.ts';
import type { Session, Source } from './session.ts';

/** The facts about a text with unbalanced brackets: how to read it, and the first problem of the reference. */
export interface Recovery {
  repairs: BracketRepairs;
  first: FoundProblem | undefined;
}

/**
 * Reads one text into a tree. A text with unbalanced brackets is read twice: as far as the reference reads it, which
 * finds the first problem, and then as a whole with its brackets repaired.
 */
export function parseText(source: Source, session: Session): ObjectNode {
  if (source.format === 'properties') return parseProperties(source.text, source.file, session);
  const { problems } = session;
  const { size } = problems;
  const { includedText, files } = session;
  let { recovery } = source.known;
  if (recovery === undefined) {
    const parser = new Parser(source, session);
    const root = parser.parse();
    if (!parser.isStuck) return root;
    const first = problems.firstSince(size);
    problems.cut(size);
    session.includedText = includedText;
    session.files = files;
    recovery = { repairs: findRepairs(source.text, source.format === 'json'), first };
    source.known.recovery = recovery;
  }
  const root = new Parser(source, session, recovery.repairs).parse();
  if (recovery.first !== undefined) problems.lead(size, recovery.first);
  return root;
}
