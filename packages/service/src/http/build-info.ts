import { readFileSync } from 'node:fs';

/** The version and the build of the running service. */
export interface BuildInfo {
  /** The version of Headrace. */
  version: string;
  /** The commit and the time of the build. Present only if the build sets the environment variables. */
  commit?: string;
  buildTime?: string;
}

/** The version of this package. All packages have the same version. */
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const { HEADRACE_COMMIT: commit, HEADRACE_BUILD_TIME: buildTime } = process.env;

export const buildInfo: BuildInfo = {
  version,
  ...(commit ? { commit } : {}),
  ...(buildTime ? { buildTime } : {}),
};
