// `npm run build`: bundles what would load slowly, compiles the packages, then writes the catalog of components from what was compiled.
import { mustRun } from './lib/root.mjs';

await mustRun('node', ['scripts/bundle-typebox.mjs']);
await mustRun('tsc', ['-b', 'packages/headrace']);
await mustRun('node', ['scripts/build-catalog.mjs']);
