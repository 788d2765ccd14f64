// Runs after `npm pack` in packages/headrace.
import { restore } from './folder.mjs';

restore();
