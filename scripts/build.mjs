// `npm run build`: bundles what would load slowly, compiles the packages and bundles those that threads load, makes the client of the service, then writes the catalog of components from what was compiled.
import { mustRun } from './lib/root.mjs';

await mustRun('node', ['scripts/bundle-typebox.mjs']);
await mustRun('tsc', ['-b', 'packages/headrace']);
await mustRun('node', ['scripts/bundle.mjs']);
await mustRun('node', ['scripts/build-client.mjs']);
await mustRun('node', ['scripts/build-catalog.mjs']);
