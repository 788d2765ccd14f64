import { describe, expect, it } from 'vitest';
import { checkNestedStage } from './nested-stage.ts';
import type { ParameterProblem } from './parameters.ts';
import { type Static, Type } from './schema.ts';
import { Stage } from './stage.ts';

const parameters = Type.Object({
  count: Type.Integer(),
  label: Type.String({ default: 'none' }),
});

class Inner extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static override *check({ count }: Static<typeof parameters>): Generator<ParameterProblem> {
    if (count < 0) yield { parameter: 'count', message: 'too small' };
  }

  override process(): void {}
}

const at = ['inner', 'a.b'];

describe('checkNestedStage', () => {
  it('converts values, applies defaults, and allows the keys of every stage', () => {
    const given = new Map<string, never>(Object.entries({ class: 'Inner', name: 'n', count: '5' }) as never);
    expect(checkNestedStage(Inner, given, at)).toEqual({ params: { count: 5, label: 'none' }, problems: [] });
  });

  it('reports mistakes at their position in the outer stage', () => {
    const given = new Map<string, never>(Object.entries({ cuont: 1 }) as never);
    const { problems } = checkNestedStage(Inner, given, at);
    expect(problems).toMatchObject([
      { parameter: ['inner', 'a.b', 'cuont'], hint: 'Did you mean count?' },
      { parameter: ['inner', 'a.b'], message: 'Config is missing required property count' },
    ]);
  });

  it('calls the check method of the inner stage', () => {
    const { problems } = checkNestedStage(Inner, new Map([['count', -1]]), at);
    expect(problems).toEqual([{ parameter: ['inner', 'a.b', 'count'], message: 'too small' }]);
  });
});
