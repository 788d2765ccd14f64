/** Returns how often some work is done per second on one core, after a warm-up. */
export function rate(work, seconds = 1) {
  count(work, seconds / 4);
  return count(work, seconds);
}

/** Does the same as `rate`, for work that returns a promise. */
export async function asyncRate(work, seconds = 1) {
  const start = performance.now();
  let done = 0;
  for (; performance.now() - start < seconds * 1000; done++) await work();
  return (done * 1000) / (performance.now() - start);
}

/** Prints a line of a table: the amount of work per second. */
export function report(what, perSecond, unit) {
  const digits = perSecond < 100 ? 1 : 0;
  const value = perSecond.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits });
  console.log(`${what.padEnd(44)} ${value.padStart(12)} ${unit}`);
}

function count(work, seconds) {
  const start = performance.now();
  let done = 0;
  for (; performance.now() - start < seconds * 1000; done++) work();
  return (done * 1000) / (performance.now() - start);
}
