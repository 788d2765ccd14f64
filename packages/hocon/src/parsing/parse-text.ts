import type { ObjectNode } from '../tree/node.ts';
import type { FoundProblem } from '../tree/problem.ts';
import type { BracketRepairs } from './bracket-repairs.ts';
import { findRepairs } from './bracket-repairs.ts';
import { Parser } from './parser.ts';
import { parseProperties } from './properties.ts';
import type { Session, Source } from './session.ts';

/** The recovery of a text with unbalanced brackets: the repairs, and the first problem of the reference. */
export interface Recovery {
  repairs: BracketRepairs;
  first: FoundProblem | undefined;
}

/**
 * Parses one text into a tree. A text with unbalanced brackets is read twice. The first reading stops where the
 * reference stops, to find the first problem. The second one reads the whole text with repaired brackets.
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
