/** Returns whether a status means overload, or a gateway whose server restarts. */
export function isTransient(status: number): boolean {
  return status === 429 || status === 502 || status === 503 || status === 504;
}
