// `npm start`: the service on port 8080, with the examples as presets.
import { prepare } from './lib/prepare.mjs';
import { run } from './lib/root.mjs';

await prepare();
const stop = () => undefined; // The service gets the signal as well, and ends first.
process.on('SIGINT', stop);
process.on('SIGTERM', stop);
process.exitCode = await run('node', ['packages/headrace/bin/headrace.js', 'serve', 'examples/service.yml']);
