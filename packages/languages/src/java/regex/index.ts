export type { JavaMatch } from './java-match.ts';
export { compileJavaRegex, type JavaRegex, type JavaRegexFlags } from './java-regex.ts';
export { JavaRegexError } from './java-regex-error.ts';
export { type JavaReplacement, parseJavaReplacement } from './replacement.ts';
