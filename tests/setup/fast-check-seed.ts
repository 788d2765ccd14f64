import fc from 'fast-check';

// Every run generates the same cases, so that a failure is caused by the change and not by chance. For other cases:
// FAST_CHECK_SEED=$RANDOM npm test
// CI tries more cases than a developer waits for.
fc.configureGlobal({
  seed: Number(process.env['FAST_CHECK_SEED'] ?? 20261121),
  numRuns: process.env['CI'] === undefined ? 40 : 100,
});
