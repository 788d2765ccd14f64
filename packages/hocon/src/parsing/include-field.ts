import { Token } from '../lexing/token.ts';
import { putField } from '../merging/fields.ts';
import { hasUnresolved } from '../merging/merge.ts';
import type { ObjectNode } from '../tree/node.ts';
import { rawEntries } from '../tree/raw.ts';
import type { Frame } from './frame.ts';
import { readInclude } from './include-statement.ts';
import type { Reading } from './reading.ts';

/** Reads an include statement, and adds the fields of the included text to the object around it. */
export function readIncludeField(reading: Reading, frame: Frame, into: ObjectNode): void {
  const { cursor, session, source, frames } = reading;
  const { marks } = session;
  const origin = cursor.origin();
  const statement = readInclude(cursor);
  if (statement === undefined) {
    reading.recover(frame);
    return;
  }
  const included = session.include(statement, source, source.prefix.concat(frames.path()), origin);
  if (included !== undefined && frames.listDepth > 0 && hasUnresolved(included, marks)) {
    const message = 'a file with substitutions cannot be included inside a list';
    session.problems.add('include-in-list', origin, message, 'include it under a separate key and refer to that');
  } else if (included !== undefined) {
    for (const [key, value] of rawEntries(included)) putField(into, key, value, included.keys.get(key)!, marks);
  }
  endStatement(reading, frame);
}

function endStatement(reading: Reading, frame: Frame): void {
  const { cursor } = reading;
  const { kind } = cursor.lexer;
  cursor.skipNewlines();
  if (cursor.lexer.kind === Token.comma) cursor.lexer.next();
  else if (kind !== Token.newline && kind !== Token.end && kind !== Token.closeCurly) {
    const message = `expected a line break or a comma after the include, but found ${cursor.found()}`;
    reading.fail(frame, 'unexpected-token', message, 'write each include on a separate line');
  }
}
