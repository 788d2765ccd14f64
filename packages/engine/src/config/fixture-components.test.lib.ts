import { Connector } from '../component/connector.ts';
import { Indexer, type IndexFailure } from '../component/indexer.ts';
import type { IndexerSettings } from '../component/indexer-settings.ts';
import type { ParameterProblem } from '../component/parameters.ts';
import { Registry } from '../component/registry.ts';
import { MapOf, OneOf, type Static, Type } from '../component/schema.ts';
import { Stage, type StageContext } from '../component/stage.ts';
import { HeadraceError } from '../errors/headrace-error.ts';

const markParameters = Type.Object({
  field: Type.String(),
  times: Type.Integer({ minimum: 1, default: 1 }),
  mode: Type.Optional(OneOf(['overwrite', 'append'])),
  fieldMapping: Type.Optional(MapOf(Type.String())),
  regex: Type.Optional(Type.Array(Type.String())),
});

/** A stage with parameters of most types, a check method, and a constructor that can fail. */
export class Mark extends Stage<typeof markParameters> {
  static override readonly parameters = markParameters;

  static override *check({ fieldMapping, regex }: Static<typeof markParameters>): Generator<ParameterProblem> {
    for (const [name, target] of fieldMapping ?? []) {
      if (target === '')
        yield { parameter: ['fieldMapping', name], message: `${name} has no target`, hint: 'Give one.' };
    }
    for (const [i, source] of (regex ?? []).entries()) {
      if (source === '(') yield { parameter: `regex[${i}]`, message: `regex[${i}] is not closed` };
      if (source === '|') yield { parameter: `regex[${i}]`, message: 'is found at the start', atStart: true };
      if (source === '.') yield { parameter: `regex[${i}]`, message: 'matches anything', severity: 'warning' };
    }
  }

  constructor(params: Static<typeof markParameters>, context: StageContext) {
    super(params, context);
    if (params.field === 'plain') throw new Error('the constructor failed');
    if (params.field === 'coded') throw new HeadraceError('HR_CONFIG_INVALID_VALUE', 'no', { hint: 'say yes' });
  }

  override process(): void {}
}

const numbersParameters = Type.Object({ count: Type.Integer() });

export class Numbers extends Connector<typeof numbersParameters> {
  static override readonly parameters = numbersParameters;
  override execute(): void {}
}

const sinkParameters = Type.Object({ path: Type.String(), columns: Type.Array(Type.String()) });

export class Sink extends Indexer<typeof sinkParameters> {
  static override readonly parameters = sinkParameters;
  static override readonly block = 'sink';
  static readonly type = 'Sink';

  static override *check(
    params: Static<typeof sinkParameters>,
    { routingField }: IndexerSettings,
  ): Generator<ParameterProblem> {
    if (params.columns.length === 0) yield { parameter: 'columns', message: 'columns must not be empty' };
    if (routingField !== undefined) {
      yield { block: 'indexer', parameter: 'routingField', message: 'a sink has no routes', severity: 'warning' };
    }
  }

  static override writesToStandardOutput({ path }: Static<typeof sinkParameters>): boolean {
    return path === '-';
  }

  override encoder(): undefined {}
  override send(): readonly IndexFailure[] {
    return [];
  }
}

export class Nothing extends Indexer {
  static override readonly parameters = Type.Object({});
  static readonly type = 'Nothing';
  override encoder(): undefined {}
  override send(): readonly IndexFailure[] {
    return [];
  }
}

/** Opens a registry that contains only the components of this file. */
export function openFixtureRegistry(): Promise<Registry> {
  return Registry.open({
    catalogs: [],
    modules: ['./fixture-components.test.lib.ts'],
    base: new URL('./', import.meta.url).href,
    allowModules: false,
  });
}
