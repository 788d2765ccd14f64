import { EditError, type ParseOptions, type Problem, parse, render, setValue } from '@headrace/hocon';
import { refuseInclude } from './read-config.ts';

/** The body of a request, parsed as HOCON. */
export interface HoconBody {
  /** The body as JSON, with an empty object as the value of `config`. */
  json: string;
  /**
   * The object `config` as it was sent, at its original position: everything around it is replaced by spaces. Problems
   * therefore have their line and column in the body. Substitutions refer to the object, not to the body. Undefined if
   * the body has no object `config`.
   */
  config: string | undefined;
}

const OPTIONS: ParseOptions = { include: refuseInclude };
/** A placeholder for the object. Its first and last characters differ from those of any object. */
const MARK = 0;

/**
 * Reads the body of a request as HOCON. The value of `config` may be an object. Returns the problem if the body is
 * invalid.
 */
export function readHoconBody(text: string): HoconBody | { problem: Pick<Problem, 'message' | 'line' | 'column'> } {
  let marked: string;
  try {
    marked = setValue(text, ['config'], MARK, OPTIONS);
  } catch (error) {
    const [problem] = error instanceof EditError ? parse(text, OPTIONS).problems : [];
    if (problem !== undefined) return { problem };
    throw error;
  }
  // The start and the end that both texts have in common surround the replaced part.
  let start = 0;
  while (start < text.length && text[start] === marked[start]) start++;
  let end = text.length;
  for (let at = marked.length; end > start && text[end - 1] === marked[at - 1]; at--) end--;
  const value = text.slice(start, end);
  const isObject = /^\s*\{/.test(value);
  const around = isObject ? `${text.slice(0, start)}{}${text.slice(end)}` : text;
  const { root, problems } = parse(around, OPTIONS);
  const [problem] = problems;
  if (problem !== undefined) return { problem };
  const config = root.entries.get('config');
  if (config?.kind === 'object' && (!isObject || config.entries.size > 0)) {
    const { line, column } = config.origin;
    return { problem: { message: 'config must be one object in braces, or a string', line, column } };
  }
  const blank = text.slice(0, start).replace(/[^\n\r]/g, ' ');
  return { json: render(root, { format: 'json', indent: 0 }), config: isObject ? blank + value : undefined };
}
