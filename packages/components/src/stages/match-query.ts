import {
  COERCED,
  type Document,
  MapOf,
  type ParameterProblem,
  Stage,
  type StageContext,
  type Static,
  Type,
  textOf,
} from '@headrace/engine';
import { isBlank } from '@headrace/java-text/text';
import {
  analyzeValues,
  type FieldTerms,
  fieldsOf,
  parseQuery,
  QueryIndex,
  QuerySyntaxError,
} from '@headrace/text-analysis/lucene-query';
import { checkDestination } from '../fields/destination.ts';

const parameters = Type.Object({
  fields: Type.Array(Type.String()),
  queries: Type.Array(MapOf(Type.String(), COERCED)),
  matchedQueriesField: Type.String(),
});

/**
 * Lists which of some stored queries match a document: alerts, tags and routes by search.
 * <p>
 * The names of the queries that match are added to a field, in the order of the config; it is a list from then on.
 * When none matches, the field stays as it is.
 * <p>
 * Queries are in the syntax of Lucene's classic query parser: <code>apple</code>, <code>"red apple"</code>,
 * <code>"red apple"~2</code> (with other words between), <code>title:apple</code>, <code>title:(apple pear)</code>,
 * <code>appl*</code>, <code>ap?le</code>, <code>aple~1</code> (up to 2 letters wrong), <code>[a TO c}</code>,
 * <code>/ap+le/</code>, <code>+must -not perhaps</code>, <code>AND OR NOT</code> and brackets. Without operators any
 * term is enough; <code>a AND b OR c</code> means +a +b c, so use brackets. A query of nothing but exclusions matches
 * nothing; for all others write <code>*:* -word</code>. Boosts are read and do nothing.
 * <p>
 * Texts and queries are compared word by word in lower case, without stop words and without stemming. Ideographs
 * and Hiragana are words by themselves. Ranges compare texts: 10 comes before 9.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>fields (List&lt;String&gt;, Required) : The fields that queries can see, at least one. Terms without a field are
 *   looked for in the first. All values count, numbers and booleans as texts.</li>
 *   <li>queries (List&lt;Map&lt;String, String&gt;&gt;, Required) : The queries: objects of names and queries, one or several
 *   in each. Of queries with the same name the last one counts.</li>
 *   <li>matchedQueriesField (String, Required) : The field that the names are added to.</li>
 * </ul>
 */
export class MatchQuery extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Tags by search',
      params: {
        fields: ['text', 'country'],
        queries: [{ fruit: 'apple* OR pear*', cider: '"apple wine" country:france' }, { meat: '+(beef pork) -vegan' }],
        matchedQueriesField: 'tags',
      },
      documents: [
        { id: '1', text: 'Apples and pears', country: 'France' },
        { id: '2', text: 'Vegan beef' },
      ],
      output: [
        { id: '1', text: 'Apples and pears', country: 'France', tags: ['fruit', 'cider'] },
        { id: '2', text: 'Vegan beef' },
      ],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    const { fields, queries, matchedQueriesField } = params;
    if (fields.length === 0) yield { parameter: 'fields', message: 'fields must name at least one field' };
    if (isBlank(matchedQueriesField)) {
      yield { parameter: 'matchedQueriesField', message: 'matchedQueriesField must not be blank' };
    } else yield* checkDestination('matchedQueriesField', matchedQueriesField);
    if (queries.every((some) => some.size === 0)) {
      yield { parameter: 'queries', message: 'queries must have at least one query' };
    }
    for (const [i, some] of queries.entries()) {
      for (const [name, text] of some) yield* checkQuery(['queries', i, name], name, text, fields);
    }
  }

  readonly #names: readonly string[];
  readonly #index: QueryIndex;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    const texts = new Map(params.queries.flatMap((some) => [...some]));
    this.#names = [...texts.keys()];
    this.#index = new QueryIndex([...texts.values()].map((text) => parseQuery(text, params.fields[0] as string)));
  }

  override process(document: Document): void {
    const fields = new Map<string, FieldTerms>();
    for (const field of this.params.fields) {
      const values = document.values(field).flatMap((value) => textOf(value) ?? []);
      if (values.length > 0) fields.set(field, analyzeValues(values));
    }
    for (const number of this.#index.matching(fields)) {
      document.add(this.params.matchedQueriesField, this.#names[number] as string);
    }
  }
}

function* checkQuery(
  parameter: (string | number)[],
  name: string,
  text: string,
  fields: readonly string[],
): Generator<ParameterProblem> {
  try {
    for (const field of fieldsOf(parseQuery(text, fields[0] ?? ''))) {
      if (fields.length === 0 || field === '*' || fields.includes(field)) continue;
      yield {
        parameter,
        severity: 'warning',
        message: `The query "${name}" looks into ${field}, which it cannot see`,
        hint: `Add ${field} to fields.`,
      };
    }
  } catch (error) {
    if (!(error instanceof QuerySyntaxError)) throw error;
    yield { parameter, message: `The query "${name}" is wrong: ${error.message}` };
  }
}
