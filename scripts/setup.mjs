// `npm run setup`: installs and builds a clone. Skips steps that are already done.
import { prepare } from './lib/prepare.mjs';

await prepare();
console.log('setup: ready');
