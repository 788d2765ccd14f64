import { configModel } from '../config/config-model.ts';
import { ParsedConfig } from '../config/parsed-config.ts';

/** Returns the names of the pipelines of a config, in their order. */
export function pipelineNames(text: string): string[] {
  const { pipelines } = configModel(new ParsedConfig(text));
  return [...new Set(pipelines.flatMap(({ name }) => name ?? []))];
}
