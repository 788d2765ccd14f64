import { SaxesParser } from 'saxes';

/** An element of an XML file. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  /** The text directly in the element. */
  text: string;
}

/** Returns the root element. Throws if the text is not well-formed. */
export function readXml(text: string): XmlElement {
  const root: XmlElement = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element: XmlElement = { name, attributes: attributes as Record<string, string>, children: [], text: '' };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('closetag', () => void open.pop());
  parser.on('text', (part) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += part;
  });
  parser.write(text).close();
  return root.children[0] as XmlElement;
}
