import type { ReportProblem } from '@headrace/engine';
import { requireSuccess } from '../http/http-client.ts';
import { NO_RETRY } from '../http/retry.ts';
import { SearchEngine, type SearchEngineSettings } from './search-engine.ts';

/** What is to be there. */
export interface IndexPlace {
  readonly index: string;
  /** The parameter that names it, for the problem. */
  readonly parameter: string;
  /** Whether it is made by writing to it, so that its absence may be meant. */
  readonly isMadeByWriting: boolean;
}

/** Whether a search engine is there, lets in, and has the index. Asks once, and creates nothing. */
export async function reachIndex(
  settings: SearchEngineSettings,
  { index, parameter, isMadeByWriting }: IndexPlace,
  report: ReportProblem,
): Promise<void> {
  const engine = await SearchEngine.open({ ...settings, retry: NO_RETRY });
  try {
    await engine.ping();
    const answer = await engine.request({ method: 'HEAD', path: `/${encodeURIComponent(index)}` });
    if (answer.status !== 404) requireSuccess(answer);
    else {
      report({
        parameter,
        severity: isMadeByWriting ? 'warning' : 'error',
        message: `${engine.address} has no index ${index}`,
        hint: isMadeByWriting
          ? 'Writing makes one, with types that are guessed, unless the server forbids that. Create it before, with a mapping.'
          : 'Correct the name, or create the index.',
      });
    }
  } finally {
    await engine.close();
  }
}
