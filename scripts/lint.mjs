// `npm run lint`: checks style and mistakes (Biome), types including tests (TypeScript, Svelte), and unused code (Knip).
import { run } from './lib/root.mjs';

export const lintSteps = [
  ['biome', ['check', '.']],
  ['tsc', ['-b']],
  [
    'npm',
    ['exec', '--silent', '--workspace=@headrace/web', '--', 'svelte-check', '--fail-on-warnings', '--output=human'],
  ],
  ['knip', ['--no-progress']],
];

if (import.meta.filename === process.argv[1]) {
  for (const [command, args] of lintSteps) {
    console.log(`\n${command} ${args.join(' ')}`);
    if ((await run(command, args)) !== 0) process.exitCode = 1;
  }
}
