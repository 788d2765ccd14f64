import { expect, it } from 'vitest';
import { configModel } from '../config/config-model.ts';
import { ParsedConfig } from '../config/parsed-config.ts';
import { pictureRoutes } from './picture-routes.ts';

function routes(text: string): string[] {
  return pictureRoutes(configModel(new ParsedConfig(text))).map(
    ({ from, to, side, lane }) => `${from} ${to} ${side}${side === 'left' ? ` ${lane}` : ''}`,
  );
}

it('a line is straight only between boxes that are neighbours', () => {
  expect(routes('connectors: [{ pipeline: a }], pipelines: [{ name: a }], indexer { type: Nop }')).toEqual([
    'connectors.0 pipelines.0 straight',
    'pipelines.0 indexer straight',
  ]);
  const connectors = '[{ pipeline: a }, { pipeline: b }, { pipeline: none }, {}, { pipeline: b }, { pipeline: a }]';
  expect(routes(`connectors: ${connectors}, pipelines: [{ name: a }, { name: b }], indexer { type: Nop }`)).toEqual([
    'connectors.0 pipelines.0 left 0',
    'connectors.1 pipelines.1 left 1',
    'connectors.4 pipelines.1 left 1',
    'connectors.5 pipelines.0 straight',
    'pipelines.0 indexer right',
    'pipelines.1 indexer straight',
  ]);
});
