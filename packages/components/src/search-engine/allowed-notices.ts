import { classOfNotice, isCustomNotice, type ParameterProblem, unknownNotice } from '@headrace/engine';

interface Given {
  readonly rebuild?: { readonly checks?: { readonly allowNotices?: readonly string[] } } | undefined;
  readonly sync?: { readonly allowNotices?: readonly string[] } | undefined;
}

/** Reports codes in `allowNotices` that do not exist or do not mean lost data. */
export function* checkAllowedNotices({ rebuild, sync }: Given): Generator<ParameterProblem> {
  const lists = [
    ['rebuild.checks.allowNotices', rebuild?.checks?.allowNotices],
    ['sync.allowNotices', sync?.allowNotices],
  ] as const;
  for (const [parameter, codes = []] of lists) {
    for (const [i, code] of codes.entries()) {
      if (isCustomNotice(code)) continue;
      const itsClass = classOfNotice(code);
      const at = `${parameter}[${i}]`;
      if (itsClass === undefined) yield { parameter: at, ...unknownNotice(code) };
      else if (itsClass !== 'loss') {
        const message = `The notice ${code} has the class ${itsClass}, which is always allowed`;
        yield { parameter: at, message, hint: 'Remove it.', severity: 'warning' };
      }
    }
  }
}
