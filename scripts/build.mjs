// `npm run build`: bundles TypeBox, compiles and bundles the packages, builds the client of the service, the web
// application and the plugins, and writes the catalog of components.
import { mustRun } from './lib/root.mjs';

await mustRun('node', ['scripts/bundle-typebox.mjs']);
await mustRun('tsc', ['-b', 'packages/headrace']);
await mustRun('node', ['scripts/bundle.mjs']);
await mustRun('node', ['scripts/build-client.mjs']);
await mustRun('node', ['scripts/build-web.mjs']);
await mustRun('node', ['scripts/build-plugins.mjs']);
await mustRun('node', ['scripts/build-python-library.mjs']);
await mustRun('node', ['scripts/build-catalog.mjs']);
