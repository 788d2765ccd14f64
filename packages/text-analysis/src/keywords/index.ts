export { KeywordMatcher } from './keyword-matcher.ts';
