import type { ConfigVersion, StoredConfig, StoredRun, StoredSchedule } from '../store/store.ts';

export function version(version: number, over: Partial<ConfigVersion> = {}): ConfigVersion {
  return {
    version,
    text: `a: ${version} # \u{1f30a}\u0000`,
    format: 'hocon',
    answer: `{"a":${version}}`,
    digest: `d${version}`,
    createdTime: 1795267968.824 + version,
    createdBy: null,
    ...over,
  };
}

export function config(id: string, over: Partial<StoredConfig> = {}): StoredConfig {
  return { id, name: null, description: null, labels: {}, current: version(1), ...over };
}

export function run(id: string, over: Partial<StoredRun> = {}): StoredRun {
  return {
    id,
    configId: 'c',
    status: 'RUNNING',
    done: false,
    startTime: 1000,
    requestedBy: null,
    labels: {},
    details: `{"runId":"${id}"}`,
    ...over,
  };
}

export function schedule(configId: string, over: Partial<StoredSchedule> = {}): StoredSchedule {
  return { configId, preset: false, fixed: false, settings: '{"a":1}', setTime: 1000.5, setBy: 'mary', ...over };
}

export const ids = (items: { id: string }[]) => items.map((item) => item.id);
