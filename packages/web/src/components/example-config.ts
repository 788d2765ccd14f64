import type { ComponentInfo } from '../api/types.ts';

type Parameters = Readonly<Record<string, unknown>>;

/** Returns a complete config, as indented JSON, that uses a component with the given parameters. */
export function exampleConfig(component: ComponentInfo, params: Parameters): string {
  const isConnector = component.kind === 'connector';
  const isStage = component.kind === 'stage';
  const config = {
    connectors: isConnector ? [{ name: 'source', pipeline: 'main', class: component.class, ...params }] : [],
    pipelines: [{ name: 'main', stages: isStage ? [{ class: component.class, ...params }] : [] }],
    ...(component.kind === 'indexer' ? indexerOf(component, params) : { indexer: { type: 'Nop' } }),
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

function indexerOf({ type, block, class: name }: ComponentInfo, params: Parameters) {
  const indexer = type === undefined ? { class: name } : { type };
  return { indexer, ...(block === undefined ? {} : { [block]: params }) };
}
