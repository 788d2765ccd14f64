import { expect, it } from 'vitest';
import { matchRoute, type Route } from './routes.ts';

const route = (pattern: string): Route => ({ pattern, load: async () => ({ default: pattern }) });
const routes = [route('/'), route('/runs'), route('/runs/:id/:part?')];

it('an address selects a page and its parameters', () => {
  const found = (path: string) => {
    const match = matchRoute(routes, path);
    return match && [match.route.pattern, match.params];
  };
  expect(found('/')).toEqual(['/', {}]);
  expect(found('/runs/')).toEqual(['/runs', {}]);
  expect(found('/runs/a%2Fb')).toEqual(['/runs/:id/:part?', { id: 'a/b' }]);
  expect(found('/runs/a/log')).toEqual(['/runs/:id/:part?', { id: 'a', part: 'log' }]);
  expect(found('/runs/%zz')).toEqual(['/runs/:id/:part?', { id: '%zz' }]);
  expect(found('/runs/a/log/more')).toBeUndefined();
  expect(found('/configs')).toBeUndefined();
});
