import {
  type Document,
  MapOf,
  type ParameterProblem,
  Stage,
  type StageContext,
  type Static,
  Type,
} from '@headrace/engine';
import { compileXPath, type XPath, XPathError } from '@headrace/xml/xpath';
import { checkDestination } from '../fields/destination.ts';
import { LeftAlone } from '../fields/left-alone.ts';

type ParseXml = typeof import('@headrace/xml/reader').parseXml;

const parameters = Type.Object({
  fieldMapping: MapOf(Type.Array(Type.String())),
  xmlField: Type.Optional(Type.String({ default: 'xml' })),
});

/**
 * Copies what XPath expressions find in a field that holds XML to other fields.
 * <p>
 * The expressions are XPath 1.0 and must select nodes. The text of each node is added to the fields of its
 * expression, in document order and as it stands, white space included: one node gives a text, several a list. For an
 * element that is all text inside it, for an attribute its value. Values that the fields hold already are kept. When
 * nothing is found no field is created.
 * <p>
 * Namespaces do not count: names are compared as they are written, prefix included. An element <code>n:title</code> is
 * found with <code>//*[name()='n:title']</code> or <code>//*[local-name()='title']</code>, elements of a default
 * namespace with their plain name.
 * <p>
 * A document without the field is left alone. Of a list the first value is read. A text that is not well-formed XML
 * leaves its document as it is, with a warning in the log. Nothing outside the text is ever read: a text that uses an
 * external entity counts as not well-formed, an encoding that it declares is ignored.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>fieldMapping (Map&lt;String, List&lt;String&gt;&gt;, Required) : For each XPath expression the fields that its
 *   matches are added to, as in <code>"//book/title": ["title", "all_titles"]</code>.</li>
 *   <li>xmlField (String, Optional) : The field with the XML. Defaults to "xml".</li>
 * </ul>
 */
export class XPathExtractor extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Titles, and the ids of cheap books',
      params: { fieldMapping: { '//title': ['title'], '//book[price < 10]/@id': ['cheap'] } },
      documents: [
        {
          id: '1',
          xml: '<lib><book id="a"><title>Tides</title><price>9.50</price></book><book id="b"><title>Salt &amp; Sand</title><price>20</price></book></lib>',
        },
      ],
      output: [
        {
          id: '1',
          xml: '<lib><book id="a"><title>Tides</title><price>9.50</price></book><book id="b"><title>Salt &amp; Sand</title><price>20</price></book></lib>',
          title: ['Tides', 'Salt & Sand'],
          cheap: 'a',
        },
      ],
    },
  ];

  static override *check({ fieldMapping }: Static<typeof parameters>): Generator<ParameterProblem> {
    for (const [expression, fields] of fieldMapping) {
      for (const [i, field] of fields.entries()) {
        for (const problem of checkDestination(`"${expression}"[${i}]`, field)) {
          yield { ...problem, parameter: ['fieldMapping', expression, i] };
        }
      }
      const parameter = ['fieldMapping', expression];
      try {
        const { type } = compileXPath(expression);
        if (type === 'nodes') continue;
        yield {
          parameter,
          message: `The XPath expression "${expression}" gives a ${type}, so nothing is written`,
          hint: 'Select nodes: a path such as //title, with conditions in brackets.',
          severity: 'warning',
        };
      } catch (error) {
        if (!(error instanceof XPathError)) throw error;
        yield { parameter, message: `"${expression}" is not an XPath expression: ${error.message}` };
      }
    }
  }

  readonly #mapping: readonly { readonly xpath: XPath; readonly fields: readonly string[] }[];
  #parseXml!: ParseXml;
  readonly #unreadable: LeftAlone;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#unreadable = new LeftAlone(context.log, `field "${params.xmlField}" is not XML`);
    this.#mapping = [...params.fieldMapping].flatMap(([expression, fields]) => {
      const xpath = compileXPath(expression);
      return xpath.type === 'nodes' ? { xpath, fields } : [];
    });
  }

  override async start(): Promise<void> {
    ({ parseXml: this.#parseXml } = await import('@headrace/xml/reader'));
  }

  override process(document: Document): void {
    const field = this.params.xmlField as string;
    const text = document.text(field);
    if (text === undefined || this.#mapping.length === 0) return;
    let xml: ReturnType<ParseXml>;
    try {
      xml = this.#parseXml(text);
    } catch (error) {
      this.#unreadable.add(document, error);
      return;
    }
    for (const { xpath, fields } of this.#mapping) {
      for (const node of xpath.select(xml)) {
        for (const name of fields) document.setOrAdd(name, node.text);
      }
    }
  }

  override stop(): void {
    this.#unreadable.end();
  }
}
