export { type DetectedLanguage, type LanguageModel, languageModel } from './language-model.ts';
