import type { DefaultTreeAdapterTypes } from 'parse5';
import type { Pictures } from './pictures.ts';

type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

/** The attributes with a picture, by the name of the element. */
const SOURCES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    img: ['src', 'srcset'],
    source: ['srcset'],
    input: ['src'],
    embed: ['src'],
    object: ['data'],
    image: ['href'],
    video: ['poster'],
    body: ['background'],
    table: ['background'],
    td: ['background'],
  }),
);

/** Adds the pictures that are in a page itself, in its order. Of several versions of a picture, one is added. */
export function addHtmlPictures(nodes: readonly Node[], pictures: Pictures): void {
  const open: Node[] = nodes.toReversed();
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (!('tagName' in node)) continue;
    const { tagName, childNodes } = node;
    const isFound = tagName === 'picture' ? addVersion(childNodes, pictures) : addSource(node, pictures);
    // The content of an object is for browsers that cannot show it.
    if (tagName === 'picture' || (isFound && tagName === 'object')) continue;
    for (let i = childNodes.length - 1; i >= 0; i--) open.push(childNodes[i] as Node);
  }
}

/** The image in an element "picture" is for all browsers, and its sources are versions of it. */
function addVersion(nodes: readonly Node[], pictures: Pictures): boolean {
  const elements = nodes.filter((node): node is Element => 'tagName' in node);
  const images = elements.filter(({ tagName }) => tagName === 'img');
  const sources = elements.filter(({ tagName }) => tagName === 'source');
  return [...images, ...sources].some((element) => addSource(element, pictures));
}

function addSource({ tagName, attrs }: Element, pictures: Pictures): boolean {
  const names = SOURCES.get(tagName) ?? [];
  return names.some((name) => {
    const value = attrs.find((one) => one.name === name)?.value;
    if (value === undefined) return false;
    // A list of versions has sizes after each, and commas between them.
    const links = name === 'srcset' ? (value.match(/data:\S+/gi) ?? []) : [value];
    return links.some((link) => {
      const bytes = bytesOf(link);
      return bytes !== undefined && pictures.add(bytes);
    });
  });
}

/** Returns the bytes in a link such as `data:image/png;base64,iVBORw0KGgo=`; undefined if it is a different link. */
function bytesOf(link: string): Buffer | undefined {
  const [head, isBase64] = /^\s*data:[^,]*?(;\s*base64\s*)?,/i.exec(link) ?? [];
  if (head === undefined) return undefined;
  const data = link
    .slice(head.length)
    .replaceAll(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  return Buffer.from(data, isBase64 === undefined ? 'latin1' : 'base64');
}
