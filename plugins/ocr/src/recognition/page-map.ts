import { parseJson } from 'headrace/engine';

/** The template of each page, from 0. */
export type PageMap = Map<number, string>;

/** A rectangle in pixels. */
export interface Region {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Reads a map of pages from JSON text such as `{"0": "invoice"}`. Entries with mistakes are omitted. */
export function readPageMap(text: string): { pages: PageMap; problem?: string } {
  const pages: PageMap = new Map();
  let parsed: unknown;
  try {
    parsed = parseJson(text);
  } catch (error) {
    return { pages, problem: (error as Error).message };
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return { pages, problem: 'it is not an object of pages and templates' };
  }
  let problem: string | undefined;
  for (const [page, template] of Object.entries(parsed)) {
    if (!/^\d+$/.test(page)) problem = `${page} is not a page number from 0`;
    else if (typeof template !== 'string') throw new Error(`the template of page ${page} is not a text`);
    else pages.set(Number(page), template);
  }
  return problem === undefined ? { pages } : { pages, problem };
}
