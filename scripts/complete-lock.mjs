// Run after `npm install`: adds the packages for other platforms that are missing in package-lock.json, because the
// registry did not offer them. `npm ci` rejects a lock file without them, on this and other machines.
import { readFileSync, writeFileSync } from 'node:fs';
import { missingPackages, packagesWithoutHash } from './lib/lock-file.mjs';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));
const missing = missingPackages(lock);
// Keeps the order that npm uses, because npm writes the file again at the next install.
const packages = Object.entries({ ...lock.packages, ...missing });
lock.packages = Object.fromEntries(packages.sort(([a], [b]) => a.localeCompare(b, 'en')));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`package-lock.json: ${Object.keys(missing).length} packages for other platforms added`);
const unknown = packagesWithoutHash(lock);
if (unknown.length > 0) {
  console.error(`These packages have no hash (integrity): ${unknown.join(', ')}.
Remove them from package-lock.json and run npm install again. If the registry does not have them, replace them with an
override in package.json, as those of @lancedb/lancedb.`);
  process.exitCode = 1;
}
