import { JsonSyntaxError, messageOf, readJson } from '@headrace/engine';
import { ApiError } from '../errors/api-error.ts';

interface HoconProblem {
  message: string;
  line: number;
  column: number;
}

/**
 * The refusal of a body that is not JSON, or is more deeply nested than can be read: with line and column where known.
 * @param hocon what is wrong with it as HOCON, where that is possible too
 */
export function notJson(text: string, error: unknown, hocon?: HoconProblem): ApiError {
  const known = error instanceof JsonSyntaxError ? error : (syntaxError(text) ?? error);
  const where = known instanceof JsonSyntaxError ? `${place(text, known.at)}: ` : '';
  return new ApiError('HR_REQUEST_INVALID', `The body is not valid JSON: ${where}${messageOf(known)}`, {
    cause: error,
    ...(hocon && { hint: `Nor is it HOCON: line ${hocon.line}, column ${hocon.column}: ${hocon.message}.` }),
  });
}

/** The built-in parser often does not say where; the engine's does. It takes what follows the value, though. */
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
