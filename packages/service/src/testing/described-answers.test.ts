import { expect, it } from 'vitest';
import { DescribedAnswers } from './described-answers.test.support.ts';

it('an answer is refused if a property or its type differs from the schema of its status', async () => {
  const answers = await DescribedAnswers.load();
  const check =
    (body: object, status = 200) =>
    () =>
      answers.check({
        method: 'GET',
        path: '/v1/version',
        status,
        type: 'application/json',
        text: JSON.stringify(body),
      });
  const version = { version: '1', apiVersion: 'v1', node: '26' };
  expect(check(version)).not.toThrow();
  expect(check({ ...version, secret: 'x' })).toThrow('must NOT have additional properties');
  expect(check({ ...version, node: 26 })).toThrow('must be string');
  expect(check(version, 201)).toThrow('201 is not described');
  expect(check(version, 404)).toThrow('404 differs from the OpenAPI document');
});
