export { fixedChunks, joinShort, merge, overlapByPercentage, shorten, withoutLineBreaks } from './chunk-steps.ts';
export { englishSentences } from './english-sentences.ts';
export { type ChunkPages, pagesOfChunks, withoutPageMarks } from './page-marks.ts';
export { unicodeSentences } from './unicode-sentences.ts';
