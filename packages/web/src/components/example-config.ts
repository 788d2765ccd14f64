import type { ComponentInfo } from '../api/types.ts';

type Parameters = Readonly<Record<string, unknown>>;

const NUMBERS = { class: 'SequenceConnector', numDocs: 10 };

/**
 * Returns a complete config, as indented JSON, that uses a component with the given parameters. Some numbered documents
 * are its source if the component is not a connector.
 */
export function exampleConfig(component: ComponentInfo, params: Parameters): string {
  const source = component.kind === 'connector' ? { class: component.class, ...params } : NUMBERS;
  const isStage = component.kind === 'stage';
  const config = {
    connectors: [{ name: 'source', pipeline: 'main', ...source }],
    pipelines: [{ name: 'main', stages: isStage ? [{ class: component.class, ...params }] : [] }],
    ...(component.kind === 'indexer' ? indexerOf(component, params) : { indexer: { type: 'Nop' } }),
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

function indexerOf({ type, block, class: name }: ComponentInfo, params: Parameters) {
  const indexer = type === undefined ? { class: name } : { type };
  return { indexer, ...(block === undefined ? {} : { [block]: params }) };
}
