import { StreamLanguage, type StringStream } from '@codemirror/language';

interface State {
  /** True inside a text in triple quotes. */
  triple: boolean;
  /** True if the next plain word is a value, not a key. */
  value: boolean;
  /** The open brackets: in a list, words are values. */
  readonly brackets: string[];
}

const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?=[\s,\]}#]|\/\/|$)/;
/** A slash is part of a word, and two begin a comment. */
const WORD = /^(?:[^\s,:=+[\]{}"#$/]|\/(?!\/))+/;

/** The highlighting of HOCON, which includes JSON. */
export const hocon = StreamLanguage.define<State>({
  name: 'hocon',
  startState: () => ({ triple: false, value: false, brackets: [] }),
  copyState: ({ triple, value, brackets }) => ({ triple, value, brackets: [...brackets] }),
  token,
  languageData: { commentTokens: { line: '#' }, closeBrackets: { brackets: ['[', '{', '"'] } },
});

function token(stream: StringStream, state: State): string | null {
  if (state.triple) return tripleText(stream, state);
  if (stream.sol() && !inList(state)) state.value = false;
  if (stream.eatSpace()) return null;
  if (stream.match('#') || stream.match('//')) {
    stream.skipToEnd();
    return 'comment';
  }
  if (stream.match('"""')) {
    state.triple = true;
    return tripleText(stream, state);
  }
  if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return wordStyle(stream, state, 'string');
  if (stream.match(/^\$\{\??[^}]*\}?/)) return 'variableName.special';
  if (stream.match(/^(?:\+=|[:=])/)) {
    state.value = true;
    return 'operator';
  }
  const bracket = stream.match(/^[[\]{}]/) as RegExpMatchArray | null;
  if (bracket !== null) return afterBracket(bracket[0], state);
  if (stream.eat(',')) {
    state.value = inList(state);
    return 'punctuation';
  }
  if (!isValue(state) && stream.match(/^include\b/)) return 'keyword';
  if (isValue(state) && stream.match(NUMBER)) return 'number';
  if (isValue(state) && stream.match(/^(?:true|false|null)(?=[\s,\]}#]|$)/)) return 'bool';
  if (stream.match(WORD)) return wordStyle(stream, state, 'string');
  stream.next();
  return null;
}

function afterBracket(bracket: string, state: State): string {
  if (bracket === '[' || bracket === '{') state.brackets.push(bracket);
  else state.brackets.pop();
  state.value = bracket !== '{' && inList(state);
  return 'bracket';
}

function tripleText(stream: StringStream, state: State): string {
  if (stream.skipTo('"""')) {
    stream.match(/^"{3,}/);
    state.triple = false;
  } else stream.skipToEnd();
  return 'string';
}

/** Returns the style of a word or a text: a key, if a value can follow. */
function wordStyle(_stream: StringStream, state: State, style: string): string {
  return isValue(state) ? style : 'propertyName';
}

function isValue(state: State): boolean {
  return state.value || inList(state);
}

function inList({ brackets }: State): boolean {
  return brackets.at(-1) === '[';
}
