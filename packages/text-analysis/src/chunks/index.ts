export { fixedChunks, joinShort, merge, overlapByPercentage, shorten, withoutLineBreaks } from './chunk-steps.ts';
export { englishSentences } from './english-sentences.ts';
export { unicodeSentences } from './unicode-sentences.ts';
