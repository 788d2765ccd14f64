export * from './browser.ts';
export { loadFile, parseFile } from './loading/files.ts';
