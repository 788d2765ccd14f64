/** An element of a feed's item: its text, its attributes, its content. */
export class FeedElement {
  /** The local name after the prefix that its vocabulary has here: `title`, `atom:link`, `content:encoded`. */
  readonly name: string;
  /** By name as written. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly elements: FeedElement[] = [];
  /** The text directly in it. */
  #text = '';
  /** Its content as markup; undefined while that is only text. */
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

  /** Its value, trimmed: its text, or, if it contains elements, their markup. */
  get value(): string {
    return (this.#markup ?? this.#text).trim();
  }

  /** Its whole content, as markup. */
  get #content(): string {
    return this.#markup ?? escapeText(this.#text);
  }

  /** The first element of this name in it. */
  first(name: string): FeedElement | undefined {
    return this.elements.find((element) => element.name === name);
  }

  all(name: string): FeedElement[] {
    return this.elements.filter((element) => element.name === name);
  }

  /** The value of the first of these elements that has one. */
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
