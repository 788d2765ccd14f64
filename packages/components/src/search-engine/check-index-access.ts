import type { ReportProblem } from '@headrace/engine';
import { requireSuccess } from '../http/http-client.ts';
import { NO_RETRY } from '../http/retry.ts';
import { INDEX_STATES, type IndexStates, whyClosed } from '../reindexing/closed-index.ts';
import { parse } from './bulk-reply.ts';
import { isIndexTemplate, isNameOfIndex } from './index-name.ts';
import { SearchEngine, type SearchEngineSettings } from './search-engine.ts';

/** The index that must exist. */
export interface IndexPlace {
  readonly index: string;
  /** The parameter that names the index, for the report. */
  readonly parameter: string;
  /** Whether the first write creates the index, so that it may be missing. */
  readonly isMadeByWriting: boolean;
}

/**
 * Checks that a search engine is reachable, accepts the credentials, and has the index. Does not retry, and creates
 * nothing.
 */
export async function checkIndexAccess(
  settings: SearchEngineSettings,
  { index, parameter, isMadeByWriting }: IndexPlace,
  report: ReportProblem,
): Promise<void> {
  const engine = await SearchEngine.open({ ...settings, retry: NO_RETRY });
  try {
    await engine.ping();
    // The documents decide which indices are used.
    if (isMadeByWriting && isIndexTemplate(index)) return;
    const path = `/${encodeURIComponent(index)}`;
    const answer = await engine.request({ method: 'HEAD', path });
    if (answer.status === 404) report(missing(engine.address, { index, parameter, isMadeByWriting }));
    else {
      requireSuccess(answer);
      if (!isMadeByWriting) return;
      // A user who may write may lack the permission to read the settings: then they are not checked.
      const details = await engine.request({ method: 'GET', path: `${path}?${INDEX_STATES}` });
      const why = details.status === 200 ? whyClosed(index, parse(details) as IndexStates) : undefined;
      if (why !== undefined) report({ parameter, message: `${engine.address}: ${why.message}`, hint: why.hint });
    }
  } finally {
    await engine.close();
  }
}

function missing(address: string, { index, parameter, isMadeByWriting }: IndexPlace): Parameters<ReportProblem>[0] {
  const message = `${address} has no index ${index}`;
  if (!isMadeByWriting) return { parameter, message, hint: 'Correct the name, or create the index.' };
  if (!isNameOfIndex(index)) {
    return {
      parameter,
      message: `${message}, and this name is not valid`,
      hint: 'Index names are in lower case, without spaces, \\ / * ? " < > | , # and :, and do not begin with -, _ or +.',
    };
  }
  return {
    parameter,
    severity: 'warning',
    message,
    hint: 'The first write creates it with guessed types, if the server allows that. Better create it with a mapping.',
  };
}
