/** A page of the application. */
export interface Route {
  /** The segments of the path. `:name` matches any segment. */
  readonly pattern: string;
  /** Loads the component of the page. It gets the parameters of the path as `params`. */
  readonly load: () => Promise<{ readonly default: unknown }>;
}

export interface RouteMatch {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** Returns the first route that matches a path, with the values of its parameters. */
export function matchRoute(routes: readonly Route[], path: string): RouteMatch | undefined {
  const given = segments(path);
  for (const route of routes) {
    const wanted = segments(route.pattern);
    if (wanted.length !== given.length) continue;
    if (!wanted.every((segment, i) => segment.startsWith(':') || segment === given[i])) continue;
    const params: Record<string, string> = {};
    wanted.forEach((segment, i) => {
      if (segment.startsWith(':')) params[segment.slice(1)] = decoded(given[i] as string);
    });
    return { route, params };
  }
  return undefined;
}

function segments(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
