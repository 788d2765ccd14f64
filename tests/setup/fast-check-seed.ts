import fc from 'fast-check';

// The same cases in every run: a test that fails by chance says nothing of the change at hand. For other cases:
// FAST_CHECK_SEED=$RANDOM npm test
fc.configureGlobal({ seed: Number(process.env['FAST_CHECK_SEED'] ?? 20261121) });
