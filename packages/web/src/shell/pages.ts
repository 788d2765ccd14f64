import type { Route } from '../routing/routes.ts';

/** The pages of the application. Each is loaded when it is opened for the first time. */
export const pages: readonly Route[] = [
  { pattern: '/', load: () => import('../overview/overview.svelte') },
  { pattern: '/configs', load: () => import('../configs/configs.svelte') },
  { pattern: '/configs/:id/:part?', load: () => import('../configs/config.svelte') },
  { pattern: '/runs', load: () => import('../runs/runs.svelte') },
  { pattern: '/runs/compare', load: () => import('../compare/compare.svelte') },
  { pattern: '/runs/:id/:part?', load: () => import('../runs/run.svelte') },
  { pattern: '/components/:name?', load: () => import('../components/components.svelte') },
  { pattern: '/load', load: () => import('../load-file/load.svelte') },
  { pattern: '/system', load: () => import('../system/system.svelte') },
];

/** The sections in the rail. */
export const sections = [
  { path: '/', label: 'Overview', icon: 'overview' },
  { path: '/configs', label: 'Configs', icon: 'configs' },
  { path: '/runs', label: 'Runs', icon: 'runs' },
  { path: '/components', label: 'Components', icon: 'components' },
  { path: '/system', label: 'System', icon: 'system' },
] as const;
