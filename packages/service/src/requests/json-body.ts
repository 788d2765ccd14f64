import { JsonSyntaxError, messageOf, readJson } from '@headrace/engine';
import { ApiError } from '../errors/api-error.ts';

interface HoconProblem {
  message: string;
  line: number;
  column: number;
}

/**
 * Returns the error for a body that is not JSON or is nested too deeply, with line and column if known.
 * @param hocon why the body is not HOCON either, if HOCON is allowed
 */
export function notJson(text: string, error: unknown, hocon?: HoconProblem): ApiError {
  const known = error instanceof JsonSyntaxError ? error : (syntaxError(text) ?? error);
  const where = known instanceof JsonSyntaxError ? `${place(text, known.at)}: ` : '';
  return new ApiError('HR_REQUEST_INVALID', `The body is not valid JSON: ${where}${messageOf(known)}`, {
    cause: error,
    ...(hocon && { hint: `It is not HOCON either: line ${hocon.line}, column ${hocon.column}: ${hocon.message}.` }),
  });
}

/**
 * Returns the syntax error of a text with its position. The built-in parser often does not report the position, but the
 * parser of the engine does. The engine's parser alone is not enough, because it accepts text after the value.
 */
function syntaxError(text: string): JsonSyntaxError | undefined {
  try {
    readJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
  }
  return undefined;
}

function place(text: string, offset: number): string {
  const lines = text.slice(0, offset).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1) as string).length + 1}`;
}
