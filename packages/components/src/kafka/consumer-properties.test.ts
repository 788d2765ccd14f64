import { defaultMemoryMb } from '@headrace/engine';
import { limitMemory } from '@headrace/engine/testing';
import { expect, it, onTestFinished } from 'vitest';
import { consumerOptions } from './consumer-properties.ts';

it('a config cannot fetch more messages at a time than the memory for one value', async () => {
  onTestFinished(() => limitMemory(defaultMemoryMb()));
  limitMemory(6);
  const properties = (bytes: string) =>
    new Map([
      ['fetch.max.bytes', bytes],
      ['max.partition.fetch.bytes', bytes],
    ]);
  expect(await consumerOptions(properties('2000000000'))).toMatchObject({
    maxBytes: 2 ** 20,
    maxBytesPerPartition: 2 ** 20,
  });
  expect(await consumerOptions(properties('5000'))).toMatchObject({ maxBytes: 5000, maxBytesPerPartition: 5000 });
  expect(await consumerOptions(new Map())).not.toHaveProperty('maxBytes');
});
