import { EditError, type ParseOptions, type Problem, parse, render, setValue } from '@headrace/hocon';
import { refuseInclude } from './read-config.ts';

/** The body of a request, read as HOCON. */
export interface HoconBody {
  /** The body as JSON; the object `config` in it is empty. */
  json: string;
  /**
   * The object `config` of the body as it was sent. Everything around it is replaced by spaces, so that problems have
   * their position in the body. Its substitutions refer to the object, not to the body. Undefined if there is no such
   * object.
   */
  config: string | undefined;
}

const OPTIONS: ParseOptions = { include: refuseInclude };
/** A placeholder for an object. It begins and ends with other characters than the object. */
const MARK = 0;

/** Reads the body of a request as HOCON, in which `config` may be an object. Returns the error if it is not valid. */
export function readHoconBody(text: string): HoconBody | { problem: Pick<Problem, 'message' | 'line' | 'column'> } {
  let marked: string;
  try {
    marked = setValue(text, ['config'], MARK, OPTIONS);
  } catch (error) {
    const [problem] = error instanceof EditError ? parse(text, OPTIONS).problems : [];
    if (problem !== undefined) return { problem };
    throw error;
  }
  // The common start and end of both texts enclose what was replaced.
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
    return { problem: { message: 'config must be one object in braces, or a text', line, column } };
  }
  const blank = text.slice(0, start).replace(/[^\n\r]/g, ' ');
  return { json: render(root, { format: 'json', indent: 0 }), config: isObject ? blank + value : undefined };
}
