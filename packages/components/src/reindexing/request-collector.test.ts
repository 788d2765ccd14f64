import { expect, it } from 'vitest';
import { RequestCollector } from './request-collector.ts';

it('a request collector sends a part immediately, then fuller requests, and returns the result of each part', async () => {
  const sent: string[][] = [];
  const answers: ((isGood: boolean) => void)[] = [];
  const collector = new RequestCollector<string, string>({
    requests: 2,
    fullSize: 4,
    send: (parts) =>
      new Promise((resolve, reject) => {
        sent.push([...parts]);
        answers.push((isGood) =>
          isGood ? resolve(parts.map((part) => part.toUpperCase())) : reject(new Error('down')),
        );
      }),
  });
  const results = ['a', 'b', 'c'].map((part) => collector.add(part, 1));
  expect(sent).toEqual([['a']]);
  // Together, these fill a second request.
  results.push(collector.add('d', 3));
  expect(sent).toEqual([['a'], ['b', 'c']]);
  results.push(collector.add('large', 9));
  expect(sent.length).toBe(2);
  answers[0]?.(true);
  answers[1]?.(true);
  expect(await Promise.all(results.slice(0, 3))).toEqual(['A', 'B', 'C']);
  expect(sent.slice(2)).toEqual([['d'], ['large']]);
  answers[2]?.(false);
  answers[3]?.(true);
  await expect(results[3]).rejects.toThrow('down');
  expect(await results[4]).toBe('LARGE');
  const last = collector.add('e', 1);
  answers[4]?.(true);
  expect(await last).toBe('E');
});
