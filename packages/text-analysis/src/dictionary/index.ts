export { leftmostHits, longestHits } from './hit-selection.ts';
export { foldUnits } from './letter-folding.ts';
export { alphabeticUnits, letterCodePoints } from './letters.ts';
export { PayloadTable, PayloadTableBuilder, type PayloadTableData } from './payload-table.ts';
export { RecentValues } from './recent-values.ts';
export { type TermHit, TermTrie } from './term-trie.ts';
export { type TermSyntax, TermTrieBuilder, type TermTrieData } from './term-trie-builder.ts';
