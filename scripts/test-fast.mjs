// `npm run test:fast`, `test:watch`, `test:changed`: the unit tests, from the sources. They need no build, start no
// process and talk to no server. Further arguments go to Vitest: names of files, `-t NAME`, for `test:changed` a commit.
import { install } from './lib/prepare.mjs';
import { run } from './lib/root.mjs';

await install();
const [command, ...args] = process.argv.slice(2);
process.exitCode = await run('vitest', [command, '--project', 'unit', ...args]);
