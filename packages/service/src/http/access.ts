import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticator, User } from '../auth/authenticator.ts';
import { mayDo } from '../auth/roles.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Role } from '../settings/service-settings.ts';

/**
 * Why a login failed: the credentials are wrong (`wrong`), or there were too many failures (`throttled`, status 429).
 */
export type FailedLogin = 'wrong' | 'throttled';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The role that the route needs; `open` needs no login. Default: admin. */
    access?: Role | 'open';
  }
  interface FastifyRequest {
    /** The sender of the request, or null without authentication. */
    user: string | null;
    role: Role | null;
    failedLogin: FailedLogin | null;
  }
}

const BASIC = 'Basic realm="headrace", charset="UTF-8"';
const BEARER = 'Bearer realm="headrace"';

/** Lets a request through only if its sender may use the route. This is checked before the body is read. */
export function guardRoutes(app: FastifyInstance, authenticator: Authenticator | undefined): void {
  app.decorateRequest('user', null);
  app.decorateRequest('role', null);
  app.decorateRequest('failedLogin', null);
  if (authenticator === undefined) return;
  app.addHook('onRequest', async (request) => {
    const access = neededAccess(request);
    if (access === 'open') return;
    const user = await login(request, authenticator);
    if (user === undefined) {
      throw new ApiError('HR_UNAUTHORIZED', 'The user name and password, or the token, are missing or wrong', {
        headers: { 'www-authenticate': authenticator.takesTokens ? `${BASIC}, ${BEARER}` : BASIC },
      });
    }
    request.user = user.name;
    request.role = user.role;
    requireRole(request, access);
  });
}

async function login(request: FastifyRequest, authenticator: Authenticator): Promise<User | undefined> {
  const { authorization } = request.headers;
  try {
    const user = await authenticator.authenticate(authorization, request.ip);
    if (user === undefined && authorization !== undefined) request.failedLogin = 'wrong';
    return user;
  } catch (error) {
    if (error instanceof ApiError) request.failedLogin = error.code === 'HR_TOO_MANY_FAILURES' ? 'throttled' : 'wrong';
    throw error;
  }
}

/** Throws if the sender does not have the needed role. Some requests need a higher role than their route. */
export function requireRole({ user, role }: FastifyRequest, needed: Role): void {
  if (role === null || mayDo(role, needed)) return;
  throw new ApiError('HR_FORBIDDEN', `${user} has the role ${role}; this needs the role ${needed}`);
}

function neededAccess(request: FastifyRequest): Role | 'open' {
  // Unknown API paths need a login, so that strangers cannot find out which endpoints exist.
  if (request.is404) return request.url.startsWith('/v1') ? 'reader' : 'open';
  return request.routeOptions.config.access ?? 'admin';
}
