import { Lexer } from '../lexing/lexer.ts';
import { isKeyToken, Token } from '../lexing/token.ts';
import { indentAt } from '../lexing/triple-string.ts';

/** A token that helps to find missing or extra brackets. */
export interface BracketEvent {
  /** `field`: the start of a key with its separator. `inString`: a bracket at the end of an unclosed string. */
  type: 'open' | 'close' | 'inString' | 'field' | 'end';
  /** The kind of the bracket. */
  kind: 'object' | 'list';
  /** The offset in the text. */
  at: number;
  line: number;
  /** The indentation of the line. */
  indent: number;
  /** True if the event is at the first token of its line. */
  isFirst: boolean;
  /** True if a field or an element starts here. */
  atStart: boolean;
  /** If the bracket is inside a string: the start of the string. */
  string: number;
}

/** Yields the brackets and fields of a text, in their order. */
export function* bracketEvents(source: string, json: boolean): Generator<BracketEvent> {
  const lexer = new Lexer(source, json, new Map());
  let atStart = true;
  /** True at the start of a field or element, or of a value on a separate line. */
  let mayBeKey = true;
  let isFirst = true;
  let indent = indentAt(source, 0);
  let awaitsValue = false;
  /** A word or string at the start of a field or element. It may be a key. */
  let key: BracketEvent | undefined;
  let isInclude = false;
  const event = (type: BracketEvent['type'], kind: BracketEvent['kind']): BracketEvent => {
    return { type, kind, at: lexer.start, line: lexer.line, indent, isFirst, atStart, string: -1 };
  };
  for (lexer.next(); lexer.kind !== Token.end; lexer.next()) {
    const { kind } = lexer;
    if (isKeyToken(kind)) {
      if (mayBeKey) {
        key = event('field', 'object');
        isInclude = !json && kind === Token.unquoted && lexer.text === 'include';
      } else if (key !== undefined && isInclude && kind === Token.string) {
        yield key;
        key = undefined;
      } else if (json) key = undefined;
    } else {
      if (key !== undefined && leadsToValue(kind, json)) yield key;
      key = undefined;
      if (kind === Token.openCurly || kind === Token.openSquare) yield event('open', kindOf(kind));
      else if (kind === Token.closeCurly || kind === Token.closeSquare) yield event('close', kindOf(kind));
      else if (kind === Token.problem && source.charAt(lexer.start) === '"') {
        for (const at of bracketsAtEnd(source, lexer.start, lexer.end)) {
          const bracket = source.charAt(at) === '}' ? 'object' : 'list';
          yield { ...event('inString', bracket), at, string: lexer.start };
        }
      }
    }
    if (kind === Token.newline) {
      // The value of a field may be on a later line.
      atStart = !awaitsValue;
      mayBeKey = true;
      indent = indentAt(source, lexer.end);
      isFirst = true;
    } else {
      awaitsValue = leadsToValue(kind, json) && kind !== Token.openCurly;
      atStart = kind === Token.comma || kind === Token.openCurly || kind === Token.openSquare;
      mayBeKey = atStart;
      isFirst = false;
    }
  }
  yield event('end', 'object');
}

function leadsToValue(kind: number, json: boolean): boolean {
  if (kind === Token.colon) return true;
  return !json && (kind === Token.equals || kind === Token.plusEquals || kind === Token.openCurly);
}

function kindOf(bracket: number): BracketEvent['kind'] {
  return bracket === Token.openCurly || bracket === Token.closeCurly ? 'object' : 'list';
}

/** Returns the closing brackets at the end of an unclosed string. They probably belong after the string. */
function bracketsAtEnd(source: string, start: number, end: number): number[] {
  const found: number[] = [];
  for (let at = end - 1; at > start && ']}, \t\r'.includes(source.charAt(at)); at--) {
    if (source.charAt(at) === ']' || source.charAt(at) === '}') found.unshift(at);
  }
  return found;
}
