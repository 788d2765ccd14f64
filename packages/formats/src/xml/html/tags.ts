import type { HtmlElement } from './html-tree.ts';

/** How jsoup treats elements with a name. */
export interface HtmlTag {
  /** True if the text inside is separate from the text outside. */
  readonly block: boolean;
  /** True if the content is written on separate lines. */
  readonly formatAsBlock: boolean;
  /** True if the element has no content and no end tag. */
  readonly empty: boolean;
  /** True if white space inside is kept. */
  readonly keepsSpace: boolean;
  /** True if HTML defines the name. */
  readonly known: boolean;
}

const BLOCK =
  'address applet article aside audio blockquote body canvas caption center col colgroup dd del details dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html ins li link listing main marquee menu meta nav noframes noscript ol p plaintext pre script section style table tbody td template tfoot th thead title tr ul video';
const INLINE =
  'a abbr acronym area b base basefont bdi bdo bgsound big br button cite code command data datalist device dfn em embed font i iframe img input kbd keygen label legend map mark menuitem meter nobr object optgroup option output param progress q rb rp rt rtc ruby s samp select small source span strike strong sub summary sup textarea time track tt u var wbr';
const EMPTY =
  'area base basefont bgsound br col command device embed frame hr img input keygen link menuitem meta param source track wbr';
const FORMATTED_INLINE = 'address del h1 h2 h3 h4 h5 h6 ins li p pre script style td th title';
const KEEPS_SPACE = 'plaintext pre textarea title';

const UNKNOWN: HtmlTag = { block: false, formatAsBlock: true, empty: false, keepsSpace: false, known: false };
const FOREIGN_ROOT: HtmlTag = { ...UNKNOWN, block: true, known: true };
const FOREIGN_INLINE: HtmlTag = { ...UNKNOWN, formatAsBlock: false, known: true };

const TAGS: ReadonlyMap<string, HtmlTag> = makeTags();

/** Foreign elements (SVG, MathML), for which the HTML names have no meaning. */
const FOREIGN_TAGS: ReadonlyMap<string, HtmlTag> = new Map([
  ['svg', FOREIGN_ROOT],
  ['math', FOREIGN_ROOT],
  ...['text', 'mi', 'mo', 'msup', 'mn', 'mtext'].map((name) => [name, FOREIGN_INLINE] as const),
]);

function makeTags(): Map<string, HtmlTag> {
  const [block, inline, empty, formattedInline, keepsSpace] = [BLOCK, INLINE, EMPTY, FORMATTED_INLINE, KEEPS_SPACE].map(
    (names) => new Set(names.split(' ')),
  ) as [Set<string>, Set<string>, Set<string>, Set<string>, Set<string>];
  const tags = new Map<string, HtmlTag>();
  for (const name of [...block, ...inline]) {
    tags.set(name, {
      block: block.has(name),
      formatAsBlock: block.has(name) && !formattedInline.has(name),
      empty: empty.has(name),
      keepsSpace: keepsSpace.has(name),
      known: true,
    });
  }
  return tags;
}

/** Returns how jsoup treats an element. */
export function tagOf({ name, foreign }: HtmlElement): HtmlTag {
  return (foreign ? FOREIGN_TAGS : TAGS).get(name) ?? UNKNOWN;
}

/** Returns whether white space counts in this element, because it or a close ancestor keeps it. */
export function keepsSpace(element: HtmlElement | undefined): boolean {
  let at = element;
  for (let level = 0; at !== undefined && level < 6; level++) {
    if (tagOf(at).keepsSpace) return true;
    at = at.parent;
  }
  return false;
}
