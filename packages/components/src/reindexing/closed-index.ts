/** The query of a request for the states of indices. */
export const INDEX_STATES = 'filter_path=*.aliases,*.settings.index.blocks,*.settings.index.verified_before_close';

/** The indices of a name, as a search engine describes them. */
export type IndexStates = Readonly<
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
export function whyClosed(name: string, indices: IndexStates): { message: string; hint: string } | undefined {
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
