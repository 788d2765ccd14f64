// `npm run setup`: makes a clone ready to work. Does nothing that is done already.
import { prepare } from './lib/prepare.mjs';

await prepare();
console.log('setup: ready');
