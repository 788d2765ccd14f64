/** An element of a feed item, with its text, attributes and content. */
export class FeedElement {
  /** The local name with the prefix of its vocabulary: `title`, `atom:link`, `content:encoded`. */
  readonly name: string;
  /** The attributes by name, as written in the feed. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly elements: FeedElement[] = [];
  /** The text directly in the element. */
  #text = '';
  /** The content as markup, or undefined if it is only text. */
  #markup: string | undefined;

  constructor(name: string, attributes: ReadonlyMap<string, string>) {
    this.name = name;
    this.attributes = attributes;
  }

  addText(text: string): void {
    this.#text += text;
    if (this.#markup !== undefined) this.#markup += escapeText(text);
  }

  /** @param tag the name as written in the feed, without its prefix */
  addElement(element: FeedElement, tag: string): void {
    this.elements.push(element);
    this.#markup ??= escapeText(this.#text);
    let open = `<${tag}`;
    for (const [name, value] of element.attributes) {
      if (!name.startsWith('xmlns')) open += ` ${name}="${escapeText(value).replaceAll('"', '&quot;')}"`;
    }
    const inner = element.#content;
    this.#markup += inner === '' ? `${open}/>` : `${open}>${inner}</${tag}>`;
  }

  /** Returns the trimmed text of the element, or its markup if it contains elements. */
  get value(): string {
    return (this.#markup ?? this.#text).trim();
  }

  /** Returns the whole content as markup. */
  get #content(): string {
    return this.#markup ?? escapeText(this.#text);
  }

  /** Returns the first child element with this name. */
  first(name: string): FeedElement | undefined {
    return this.elements.find((element) => element.name === name);
  }

  all(name: string): FeedElement[] {
    return this.elements.filter((element) => element.name === name);
  }

  /** Returns the first value among the child elements with these names. */
  valueOf(...names: readonly string[]): string | undefined {
    for (const name of names) {
      for (const element of this.elements) if (element.name === name && element.value !== '') return element.value;
    }
    return undefined;
  }
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
