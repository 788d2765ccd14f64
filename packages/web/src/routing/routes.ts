/** A page of the application. */
export interface Route {
  /** The segments of the path. `:name` matches any segment, `:name?` also none. */
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
    const params = paramsOf(segments(route.pattern), given);
    if (params !== undefined) return { route, params };
  }
  return undefined;
}

function paramsOf(wanted: readonly string[], given: readonly string[]): Record<string, string> | undefined {
  if (given.length > wanted.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, segment] of wanted.entries()) {
    const value = given[i];
    if (!segment.startsWith(':')) {
      if (value !== segment) return undefined;
    } else if (value !== undefined) params[segment.replace(/^:|\?$/g, '')] = decoded(value);
    else if (!segment.endsWith('?')) return undefined;
  }
  return params;
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
