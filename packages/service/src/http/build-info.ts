import { readFileSync } from 'node:fs';

/** What is running. */
export interface BuildInfo {
  /** Of Headrace. */
  version: string;
  /** The commit that it was built from, and when: known where the build has put them into the environment. */
  commit?: string;
  buildTime?: string;
}

/** All packages have one version. */
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const { HEADRACE_COMMIT: commit, HEADRACE_BUILD_TIME: buildTime } = process.env;

export const buildInfo: BuildInfo = {
  version,
  ...(commit ? { commit } : {}),
  ...(buildTime ? { buildTime } : {}),
};
