import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticator, User } from '../auth/authenticator.ts';
import { mayDo } from '../auth/roles.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Role } from '../settings/service-settings.ts';

/** Why a login failed: the credentials are wrong, or the answer was 429 after too many failures. */
export type FailedLogin = 'wrong' | 'throttled';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may use the route. A route that does not say it is for administrators. */
    access?: Role | 'open';
  }
  interface FastifyRequest {
    /** Who asks; null without authentication. */
    user: string | null;
    role: Role | null;
    failedLogin: FailedLogin | null;
  }
}

const BASIC = 'Basic realm="headrace", charset="UTF-8"';
const BEARER = 'Bearer realm="headrace"';

/** Lets a request through to a route only when its sender may use it. Nothing of the body is read before. */
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
      throw new ApiError('HR_UNAUTHORIZED', 'A user name and a password, or a token, are needed, or these are wrong', {
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

/** Refuses a request for more than its route is for, when its sender may not do that. */
export function requireRole({ user, role }: FastifyRequest, needed: Role): void {
  if (role === null || mayDo(role, needed)) return;
  throw new ApiError('HR_FORBIDDEN', `${user} has the role ${role}; this needs the role ${needed}`);
}

function neededAccess(request: FastifyRequest): Role | 'open' {
  // Where there is nothing, everybody may learn so who may learn what there is.
  if (request.is404) return request.url.startsWith('/v1') ? 'reader' : 'open';
  return request.routeOptions.config.access ?? 'admin';
}
