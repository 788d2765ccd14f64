import type { ReportProblem } from '@headrace/engine';
import { requireSuccess } from '../http/http-client.ts';
import { NO_RETRY } from '../http/retry.ts';
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
export async function reachIndex(
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
      const details = await engine.request({ method: 'GET', path: `${path}?${DETAILS}` });
      const why = details.status === 200 ? whyClosed(index, parse(details) as Indices) : undefined;
      if (why !== undefined) report({ parameter, message: `${engine.address}: ${why.message}`, hint: why.hint });
    }
  } finally {
    await engine.close();
  }
}

const DETAILS = 'filter_path=*.aliases,*.settings.index.blocks,*.settings.index.verified_before_close';

/** The indices of a name, as a search engine describes them. */
type Indices = Readonly<
  Record<
    string,
    {
      readonly aliases?: Readonly<Record<string, { readonly is_write_index?: boolean }>>;
      readonly settings?: {
        readonly index?: {
          readonly blocks?: Readonly<Record<string, string>>;
          readonly verified_before_close?: string;
        };
      };
    }
  >
>;

/** Returns why no document can be written under a name; undefined if no obstacle is known. */
function whyClosed(name: string, indices: Indices): { message: string; hint: string } | undefined {
  const all = Object.entries(indices);
  // The hidden indices of a data stream are not aliases.
  const targets = all.filter(([index, { aliases = {} }]) => index === name || aliases[name] !== undefined);
  const written =
    targets.length === 1 && targets[0]?.[1].aliases?.[name]?.is_write_index !== false
      ? targets[0]
      : targets.find(([, { aliases = {} }]) => aliases[name]?.is_write_index === true);
  if (written === undefined) {
    if (targets.length === 0) return undefined;
    return {
      message: `the alias ${name} points to ${targets.map(([index]) => index).join(', ')}, and none of them is its write index`,
      hint: 'Set is_write_index for one of them, or set index to an index.',
    };
  }
  const [index, { settings }] = written;
  if (settings?.index?.verified_before_close === 'true') {
    return { message: `the index ${index} is closed`, hint: `Open it: POST /${index}/_open.` };
  }
  const block = BLOCKS.find((one) => settings?.index?.blocks?.[one] === 'true');
  if (block === undefined) return undefined;
  return {
    message: `the index ${index} accepts no writes: index.blocks.${block} is set`,
    hint:
      block === 'read_only_allow_delete'
        ? 'The disk of the server is or was nearly full: free some space, then set the block to null.'
        : `Set the block to null: PUT /${index}/_settings.`,
  };
}

const BLOCKS = ['read_only_allow_delete', 'read_only', 'write'];

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
