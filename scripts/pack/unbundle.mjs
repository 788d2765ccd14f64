// After `npm pack` in packages/headrace.
import { restore } from './room.mjs';

restore();
