// `npm run test:fast`, `test:watch`, `test:changed`: run the unit tests from the sources. They need no build, and use
// no processes and servers. More arguments go to Vitest: file names, `-t NAME`, or a commit for `test:changed`.
import { install } from './lib/prepare.mjs';
import { run } from './lib/root.mjs';

await install();
const [command, ...args] = process.argv.slice(2);
// Unit tests compute all the time: more workers than cores would only load the same modules again.
process.exitCode = await run('vitest', [command, '--project', 'unit', '--maxWorkers=2', ...args]);
