import { afterAll, beforeAll, describe } from 'vitest';
import { describeConformance } from './conformance.ts';
import { HttpEngine } from './http-engine.ts';
import { describeRestart } from './restart-conformance.ts';

describe('an HTTP server', () => {
  const engine = new HttpEngine();
  beforeAll(() => engine.start());
  afterAll(() => engine.stop());
  describeConformance(engine, () => engine.url);
  describeRestart(engine, engine, () => engine.url);
});
