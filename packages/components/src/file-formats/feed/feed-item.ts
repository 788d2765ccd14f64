import { createHash } from 'node:crypto';
import { type JsonObject, toValue, type Value, writeValue } from '@headrace/engine';
import { type FeedElement, feedDate } from '@headrace/formats/xml/feed';

/** An item of a feed as the fields of a document. */
export interface FeedItem {
  /** The fields in alphabetical order, except the date, which is last. */
  readonly fields: ReadonlyMap<string, Value>;
  readonly guid: string | undefined;
  /** The id for an item without a guid: its link, or else a hash of its content. */
  readonly substitute: string;
  /** A hash of all fields, which is equal for equal items. */
  readonly digest: string;
  readonly published: Date | undefined;
  /** The text of an invalid date; undefined if all dates are valid. */
  readonly badDate: string | undefined;
}

/** @param feedUrl the URL of the feed, against which relative links of Atom are resolved */
export function feedItem(element: FeedElement, feedUrl: string): FeedItem {
  const parts = element.name === 'atom:entry' ? atomParts(element, feedUrl) : rssParts(element);
  const { date, ...others } = parts;
  const published = date === undefined ? undefined : feedDate(date);
  const fields = new Map<string, Value>();
  for (const [name, value] of Object.entries(others)) {
    if (value !== undefined && !(Array.isArray(value) && value.length === 0)) fields.set(name, value);
  }
  if (published !== undefined) fields.set('pubDate', toValue(published));
  const digest = createHash('md5').update(writeValue(fields)).digest('hex');
  return {
    fields,
    guid: parts.guid,
    substitute: parts.link ?? digest,
    digest,
    published,
    badDate: published === undefined ? date : undefined,
  };
}

/** The fields in the order of documents. A field is undefined if the item lacks it. `date` is the text in the feed. */
interface Parts {
  readonly author: string | undefined;
  readonly categories: string[];
  readonly comments: string | undefined;
  readonly content: string | undefined;
  readonly description: string | undefined;
  readonly enclosures: JsonObject[];
  readonly guid: string | undefined;
  readonly isPermaLink: boolean | undefined;
  readonly link: string | undefined;
  readonly title: string | undefined;
  readonly date: string | undefined;
}

function rssParts(item: FeedElement): Parts {
  const content = item.valueOf('content:encoded');
  const isPermaLink = item.first('guid')?.attributes.get('isPermaLink');
  return {
    author: item.valueOf('author', 'dc:creator'),
    categories: item
      .all('category')
      .map(({ value }) => value)
      .filter((value) => value !== ''),
    comments: item.valueOf('comments'),
    content,
    // The reference also uses the content if the description is missing.
    description: item.valueOf('description') ?? content,
    enclosures: item
      .all('enclosure')
      .flatMap(({ attributes }) => enclosure(attributes.get('type'), attributes.get('url'), attributes.get('length'))),
    guid: item.valueOf('guid') ?? item.attributes.get('rdf:about'),
    isPermaLink: isPermaLink === undefined ? undefined : isPermaLink.trim().toLowerCase() === 'true',
    link: item.valueOf('link') ?? item.first('atom:link')?.attributes.get('href'),
    title: item.valueOf('title'),
    date: item.valueOf('pubDate', 'dc:date'),
  };
}

function atomParts(entry: FeedElement, feedUrl: string): Parts {
  const links = entry.all('atom:link').map(({ attributes }) => ({
    relation: attributes.get('rel') ?? 'alternate',
    url: absolute(attributes.get('href')?.trim(), feedUrl),
    attributes,
  }));
  const enclosures = links.filter(({ relation }) => relation === 'enclosure');
  const link =
    links.find(({ relation }) => relation === 'alternate') ??
    links.find(({ relation }) => relation !== 'enclosure' && relation !== 'self' && relation !== 'edit');
  const names = entry.all('atom:author').map((author) => author.valueOf('atom:name', 'atom:email'));
  return {
    author: names.filter((name) => name !== undefined).join(', ') || undefined,
    categories: entry
      .all('atom:category')
      .map(({ attributes, value }) => attributes.get('term') ?? value)
      .filter((value) => value !== ''),
    comments: undefined,
    content: textOf(entry.first('atom:content')),
    description: textOf(entry.first('atom:summary')),
    enclosures: enclosures.flatMap(({ url, attributes }) =>
      enclosure(attributes.get('type'), url, attributes.get('length')),
    ),
    guid: entry.valueOf('atom:id'),
    isPermaLink: undefined,
    link: link?.url,
    title: textOf(entry.first('atom:title')),
    // The last two names are those of Atom 0.3.
    date: entry.valueOf('atom:published', 'atom:updated', 'atom:issued', 'atom:modified'),
  };
}

/**
 * Returns the text of a text construct. For XHTML, this is the content of the element around it (RFC 4287, section
 * 3.1.1.3).
 */
function textOf(construct: FeedElement | undefined): string | undefined {
  const [only] = construct?.elements ?? [];
  const around = construct?.attributes.get('type') === 'xhtml' && only !== undefined ? only : construct;
  const value = around?.value;
  return value === '' ? undefined : value;
}

function enclosure(type: string | undefined, url: string | undefined, length: string | undefined): JsonObject[] {
  if (url === undefined) return [];
  const object: JsonObject = new Map();
  if (type !== undefined) object.set('type', type);
  object.set('url', url);
  const bytes = Number(length?.trim() || Number.NaN);
  if (Number.isSafeInteger(bytes)) object.set('length', bytes);
  return [object];
}

/** Returns a URL, resolved against the URL of the feed if it is relative. */
function absolute(url: string | undefined, base: string): string | undefined {
  if (url === undefined || url === '' || URL.canParse(url)) return url || undefined;
  return URL.parse(url, base)?.href ?? url;
}
