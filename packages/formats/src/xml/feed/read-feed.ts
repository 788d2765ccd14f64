import { SaxesParser, type SaxesTagNS } from 'saxes';
import { declaredEntities } from '../dtd-entities.ts';
import { FeedElement } from './feed-element.ts';

/** The result of reading a feed. */
export interface Feed {
  /** The items or entries, in order. */
  readonly items: readonly FeedElement[];
  /** The XML error, if the feed could be read despite one. */
  readonly fault: string | undefined;
}

/** The prefixes of the known feed vocabularies, by URI. Other vocabularies keep the prefix of the feed. */
const VOCABULARIES: Readonly<Record<string, string>> = {
  '': '',
  'http://purl.org/rss/1.0/': '',
  'http://my.netscape.com/rdf/simple/0.9/': '',
  'http://backend.userland.com/rss2': '',
  'http://blogs.law.harvard.edu/tech/rss': '',
  'http://www.w3.org/2005/Atom': 'atom:',
  'http://purl.org/atom/ns#': 'atom:',
  'http://www.w3.org/1999/02/22-rdf-syntax-ns#': 'rdf:',
  'http://purl.org/rss/1.0/modules/content/': 'content:',
  'http://purl.org/dc/elements/1.1/': 'dc:',
};

/**
 * Reads a feed: RSS 0.9 to 2.0 or Atom. Feeds with common XML errors are also read, and the result reports the error.
 * Common errors are an unescaped `&`, undeclared HTML entities, and undeclared prefixes.
 * @throws Error if the text is not a feed, or is incomplete
 */
export async function readFeed(text: string): Promise<Feed> {
  try {
    return { items: parse(text, {}, undefined), fault: undefined };
  } catch (error) {
    if (!(error instanceof FeedFault)) throw error;
    const repaired = escapeAmpersands(text);
    return { items: parse(repaired, await htmlEntities(repaired), () => undefined), fault: error.message };
  }
}

/** XML that is not well-formed, with line and column. */
class FeedFault extends Error {}

interface Open {
  readonly element: FeedElement;
  readonly tag: string;
}

/** @param onFault receives XML errors, and parsing continues. Without it, errors are thrown as `FeedFault`. */
function parse(
  text: string,
  entities: Readonly<Record<string, string>>,
  onFault: ((error: Error) => void) | undefined,
): FeedElement[] {
  const items: FeedElement[] = [];
  const open: Open[] = [];
  let root: string | undefined;
  let depth = 0;
  let complete = false;
  const parser = new SaxesParser({ xmlns: true });
  parser.ENTITIES = Object.assign(Object.create(parser.ENTITIES), entities);
  parser.on('error', (error) => {
    if (onFault === undefined) throw new FeedFault(error.message);
    onFault(error);
  });
  parser.on('doctype', (doctype) => {
    if (doctype.includes('<!ENTITY')) {
      const declared = Object.create(declaredEntities(doctype));
      parser.ENTITIES = Object.assign(declared, entities);
    }
  });
  parser.on('opentag', (tag) => {
    depth++;
    if (root === undefined) {
      root = tag.local;
      if (!/^(rss|feed|RDF)$/.test(root)) throw new Error(`it is not an RSS or Atom feed: its root element is ${root}`);
    }
    const name = nameOf(tag, root);
    if (open.length === 0 && name !== 'item' && name !== 'atom:entry') return;
    const attributes = Object.values(tag.attributes).map(({ name, value }): [string, string] => [name, value]);
    open.push({ element: new FeedElement(name, new Map(attributes)), tag: tag.local });
  });
  parser.on('closetag', () => {
    complete = --depth === 0;
    const closed = open.pop();
    if (closed === undefined) return;
    const parent = open.at(-1);
    if (parent === undefined) items.push(closed.element);
    else parent.element.addElement(closed.element, closed.tag);
  });
  const addText = (value: string) => open.at(-1)?.element.addText(value);
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.write(text).close();
  if (root === undefined) throw new Error('it is not an RSS or Atom feed: it contains no XML');
  if (!complete) throw new Error('it breaks off before its end');
  return items;
}

function nameOf({ uri, local, prefix }: SaxesTagNS, root: string): string {
  // An Atom feed without the Atom namespace.
  if (uri === '' && prefix === '' && root === 'feed') return `atom:${local}`;
  const known = VOCABULARIES[uri] ?? VOCABULARIES[`${uri}/`];
  return `${known ?? (prefix === '' ? '' : `${prefix}:`)}${local}`;
}

/** Returns the text with `&amp;` for each `&` that begins no reference, outside CDATA sections and comments. */
function escapeAmpersands(text: string): string {
  let result = '';
  let from = 0;
  const marks = /&(?!(?:#\d+|#x[\da-f]+|[a-z][\da-z]*);)|<!\[CDATA\[|<!--/gi;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    if (mark[0] === '&') {
      result += `${text.slice(from, mark.index)}&amp;`;
      from = mark.index + 1;
      continue;
    }
    const end = text.indexOf(mark[0] === '<!--' ? '-->' : ']]>', mark.index);
    if (end < 0) break;
    marks.lastIndex = end;
  }
  return result + text.slice(from);
}

/** Returns the characters of the HTML entities in the text. Loads their table on demand. */
async function htmlEntities(text: string): Promise<Record<string, string>> {
  const names = new Set(Array.from(text.matchAll(/&([a-z][\da-z]*);/gi), ([, name]) => name as string));
  for (const name of ['amp', 'lt', 'gt', 'quot', 'apos']) names.delete(name);
  if (names.size === 0) return {};
  const { parseFragment } = await import('parse5');
  const entities: Record<string, string> = {};
  for (const name of names) {
    const decoded = (parseFragment(`&${name};`).childNodes[0] as { value: string }).value;
    if (decoded !== `&${name};`) entities[name] = decoded;
  }
  return entities;
}
