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
import { isBlank } from '@headrace/languages/java/text';
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
  /**
   * The fields that queries search, at least one. Terms without a field are searched in the first one. All values
   * count, numbers and booleans as texts.
   */
  fields: Type.Array(Type.String()),
  /**
   * The queries: objects with names and queries, one or several in each. If a name occurs twice, the last query counts.
   */
  queries: Type.Array(MapOf(Type.String(), COERCED)),
  /** The field that the names are added to. */
  matchedQueriesField: Type.String(),
});

/**
 * Finds which of the configured queries match a document. Use it for alerts, tags and routing.
 *
 * The names of the matching queries are added to a field, in the order of the config. The field is then a list. If none
 * matches, the field does not change.
 *
 * Queries use the syntax of Lucene's classic query parser: apple, "red apple", "red apple"~2 (with other words
 * between), title:apple, title:(apple pear), appl*, ap?le, aple~1 (up to 2 wrong letters), [a TO c}, /ap+le/, +must
 * -not perhaps, AND OR NOT and brackets. Without operators any term is enough. a AND b OR c means +a +b c, so use
 * brackets. A query of only exclusions matches nothing; to match all others write *:* -word. Boosts have no effect.
 *
 * Texts and queries are compared word by word in lower case, without stop words and stemming. Each ideograph and each
 * Hiragana character is a word. Ranges compare texts: 10 comes before 9.
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
        message: `The query "${name}" searches ${field}, which is not in fields`,
        hint: `Add ${field} to fields.`,
      };
    }
  } catch (error) {
    if (!(error instanceof QuerySyntaxError)) throw error;
    yield { parameter, message: `The query "${name}" is wrong: ${error.message}` };
  }
}
