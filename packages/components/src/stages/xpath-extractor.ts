import {
  type Document,
  MapOf,
  messageOf,
  type ParameterProblem,
  Stage,
  type StageContext,
  type Static,
  Type,
} from '@headrace/engine';
import { compileXPath, type XPath, XPathError } from '@headrace/formats/xml/xpath';
import { checkDestination } from '../fields/destination.ts';

type XmlReader = import('@headrace/formats/xml/reader').XmlReader;

const parameters = Type.Object({
  /** For each XPath expression, the fields that get its matches, such as "//book/title": ["title", "all_titles"]. */
  fieldMapping: MapOf(Type.Array(Type.String())),
  /**
   * The namespaces of the prefixes in the expressions, such as { dc: "http://purl.org/dc/elements/1.1/" }. The XML may
   * use other prefixes for them.
   */
  namespaces: Type.Optional(MapOf(Type.String())),
  /** The field with the XML. */
  xmlField: Type.String({ default: 'xml' }),
});

/**
 * Copies the results of XPath expressions on a field with XML to other fields.
 *
 * The expressions are XPath 1.0 and must select nodes. The text of each node, including white space, is added to the
 * fields of its expression, in document order: one node makes a text, several make a list. The text of an element is
 * all text inside it, the text of an attribute its value. Existing values of the fields stay. Without a result no field
 * is created.
 *
 * A name with a prefix, such as dc:title, is found with the namespace of the prefix in namespaces. In XML that does not
 * declare the prefix, such as an element of XMLConnector, the prefix itself is compared. Other names are compared as
 * written: elements of a default namespace are found with their plain name.
 *
 * A document without the field does not change. If the field is a list, its first value is read. If the text is not
 * well-formed XML, the document does not change which is a notice. Nothing outside the text is ever read: a
 * text that uses an external entity is not well-formed, and an encoding that it declares is ignored.
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

  static override *check({ fieldMapping, namespaces }: Static<typeof parameters>): Generator<ParameterProblem> {
    for (const [expression, fields] of fieldMapping) {
      for (const [i, field] of fields.entries()) {
        for (const problem of checkDestination(`"${expression}"[${i}]`, field)) {
          yield { ...problem, parameter: ['fieldMapping', expression, i] };
        }
      }
      const parameter = ['fieldMapping', expression];
      try {
        const { type, unbound } = compileXPath(expression, namespaces);
        for (const prefix of unbound) {
          yield {
            parameter,
            message: `The XPath expression "${expression}" finds nothing: no namespace has the prefix ${prefix}`,
            hint: `Add it: namespaces { ${prefix}: "http://…" }.`,
            severity: 'warning',
          };
        }
        if (type === 'nodes') continue;
        yield {
          parameter,
          message: `The XPath expression "${expression}" returns a ${type}, so nothing is written`,
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
  #reader!: XmlReader;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#mapping = [...params.fieldMapping].flatMap(([expression, fields]) => {
      const xpath = compileXPath(expression, params.namespaces);
      return xpath.type === 'nodes' ? { xpath, fields } : [];
    });
  }

  override async start(): Promise<void> {
    const { XmlReader } = await import('@headrace/formats/xml/reader');
    this.#reader = new XmlReader();
  }

  override process(document: Document): void {
    const field = this.params.xmlField;
    const text = document.text(field);
    if (text === undefined || this.#mapping.length === 0) return;
    let xml: ReturnType<XmlReader['read']>;
    try {
      xml = this.#reader.read(text);
    } catch (error) {
      const hint = `Not XML: ${messageOf(error)}`;
      this.context.notices.report('stage.unchanged', { document: document.id, field, value: text, hint });
      return;
    }
    for (const { xpath, fields } of this.#mapping) {
      for (const node of xpath.select(xml)) {
        for (const name of fields) document.setOrAdd(name, node.text);
      }
    }
  }
}
