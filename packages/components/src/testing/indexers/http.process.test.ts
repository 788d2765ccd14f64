import { afterAll, beforeAll, describe } from 'vitest';
import { describeConformance } from './conformance.ts';
import { HttpEngine } from './http-engine.ts';

describe('an HTTP server', () => {
  const engine = new HttpEngine();
  beforeAll(() => engine.start());
  afterAll(() => engine.stop());
  describeConformance(engine, engine, () => engine.url);
});
