import type { FastifyBaseLogger } from 'fastify';

const ignore = () => undefined;

/** A logger that writes nothing. */
export const silentLogger: FastifyBaseLogger = {
  level: 'silent',
  fatal: ignore,
  error: ignore,
  warn: ignore,
  info: ignore,
  debug: ignore,
  trace: ignore,
  silent: ignore,
  child: () => silentLogger,
};
