/**
 * Returns an array that contains a value `count` times, for values of the same kind that replace it. A push for each
 * value would grow the array, and V8 does not optimize a push that sees several kinds of arrays. Arrays of `new Array`
 * are of another kind ("holey"), for which all functions that use the columns of a table would be compiled again.
 */
export function filled<T>(value: T, count: number): T[] {
  let model = models.get(value) as T[] | undefined;
  if (model === undefined) {
    model = [];
    for (let i = 0; i < MODEL_LENGTH; i++) model.push(value);
    models.set(value, model);
  }
  if (count <= MODEL_LENGTH) return model.slice(0, count);
  const array = model.slice();
  while (array.length < count) array.push(value);
  return array;
}

/** Most arrays have the values of a block of rows. */
const MODEL_LENGTH = 1024;
const models = new Map<unknown, unknown[]>();

/** Returns a value for `filled`, for an array that gets other values from some. */
export function modelOf(values: readonly unknown[]): unknown {
  if (!values.every((value) => typeof value === 'number')) return '';
  return values.every((value) => Number.isInteger(value) && Math.abs(value) < 2 ** 30) ? 0 : 0.5;
}
