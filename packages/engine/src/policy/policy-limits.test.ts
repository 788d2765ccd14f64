import { expect, it } from 'vitest';
import { checkParameters } from '../component/parameters.ts';
import { capped, type TObject, Type } from '../component/schema.ts';
import { readConfigText } from '../config/read-config.ts';
import { STRICT_POLICY } from './policy.ts';
import type { PolicyLimits } from './policy-limits.ts';
import { PolicyRules } from './policy-rules.ts';

const schema = Type.Object({
  secs: Type.Integer({ default: 60, ...capped('maxProcessingSecs') }),
  retries: Type.Optional(Type.Integer(capped('maxRetries', { otherwise: 10 }))),
  wait: Type.Optional(Type.Integer(capped('maxWaitSecs', { scale: 1000, unlimitedUpTo: 0 }))),
});

function read(text: string, limits?: PolicyLimits) {
  const rules = limits === undefined ? undefined : new PolicyRules({ ...STRICT_POLICY, limits });
  const { root } = readConfigText(text);
  const { value, problems } = checkParameters(schema as TObject, root as never, 'block', undefined, rules);
  return { value, problems: problems.map(({ path, line, message }) => `${path} ${line} ${message}`) };
}

it('limits nothing for a trusted config, or for a policy without limits', () => {
  for (const limits of [undefined, {}]) {
    expect(read('secs: 2000000, retries: 99, wait: 0', limits)).toEqual({
      value: { secs: 2_000_000, retries: 99, wait: 0 },
      problems: [],
    });
    expect(read('', limits)).toEqual({ value: { secs: 60 }, problems: [] });
  }
});

it('refuses a value above the limit, and a value that means no limit', () => {
  const limits = { maxProcessingSecs: 20, maxRetries: 5, maxWaitSecs: 2 };
  expect(read('secs: 21\nretries: 6\nwait: 2001', limits).problems).toEqual([
    'block.secs 1 An uploaded config may not set secs to 21: at most 20 is allowed (limits.maxProcessingSecs of the policy)',
    'block.retries 2 An uploaded config may not set retries to 6: at most 5 is allowed (limits.maxRetries of the policy)',
    'block.wait 3 An uploaded config may not set wait to 2001: at most 2000 is allowed (limits.maxWaitSecs of the policy)',
  ]);
  expect(read('wait: 0', limits).problems).toHaveLength(1);
  expect(read('secs: 20, retries: 5, wait: 2000', limits).problems).toEqual([]);
});

it('uses the default of an absent value, or the limit if it is lower', () => {
  expect(read('', { maxProcessingSecs: 20, maxRetries: 5, maxWaitSecs: 2 }).value).toEqual({ secs: 20, retries: 5 });
  expect(read('', { maxProcessingSecs: 90, maxRetries: 50 }).value).toEqual({ secs: 60 });
});
