/** Formats texts by a pattern such as `%s`, `%-8s` or `%2$s`. */
export type TextFormat = (values: readonly string[]) => string;

const SPECIFIER = /%(?:(\d+)\$|(<))?([-#+ 0,(]*)(\d+)?(?:\.(\d+))?(.|$)/gsu;

interface TextPart {
  readonly index: number;
  readonly width: number;
  readonly left: boolean;
  readonly precision: number | undefined;
  readonly upper: boolean;
}

/**
 * Compiles a pattern in the notation of Java's `Formatter`, as far as it applies to texts: `%s` and `%S` with position
 * (`%2$s`, `%<s`), `-`, width and precision; `%%` and `%n`.
 *
 * Throws a `SyntaxError` for any other pattern, and for a position greater than `count`.
 * @param count the number of values that the format receives
 */
export function compileTextFormat(format: string, count: number): TextFormat {
  const parts: (string | TextPart)[] = [];
  let ordinary = 0;
  let previous: number | undefined;
  let from = 0;
  for (const match of format.matchAll(SPECIFIER)) {
    const [specifier, position, relative, flags = '', width, precision, conversion] = match;
    parts.push(format.slice(from, match.index));
    from = match.index + specifier.length;
    if (specifier === '%%') parts.push('%');
    else if (specifier === '%n') parts.push('\n');
    else if (conversion === 's' || conversion === 'S') {
      if (/[^-]/.test(flags) || flags.length > 1)
        throw new SyntaxError(`"${specifier}" has flags that a text does not support`);
      if (flags === '-' && width === undefined) throw new SyntaxError(`"${specifier}" needs a width after the "-"`);
      if (relative !== undefined && previous === undefined) {
        throw new SyntaxError(`"${specifier}" refers to the value before, but it is the first`);
      }
      const index: number =
        relative !== undefined ? (previous as number) : position === undefined ? ordinary++ : Number(position) - 1;
      if (index < 0 || index >= count) {
        throw new SyntaxError(
          `"${specifier}" needs value ${index + 1}, but there ${count === 1 ? 'is 1' : `are ${count}`}`,
        );
      }
      previous = index;
      parts.push({
        index,
        width: Number(width ?? 0),
        left: flags === '-',
        precision: precision === undefined ? undefined : Number(precision),
        upper: conversion === 'S',
      });
    } else throw new SyntaxError(`"${specifier}" is not a format for texts: use %s`);
  }
  parts.push(format.slice(from));
  return (values) => {
    let text = '';
    for (const part of parts) text += typeof part === 'string' ? part : formatText(part, values[part.index] as string);
    return text;
  };
}

function formatText({ width, left, precision, upper }: TextPart, value: string): string {
  const cut = precision === undefined ? value : value.slice(0, precision);
  const text = upper ? cut.toUpperCase() : cut;
  return left ? text.padEnd(width) : text.padStart(width);
}
