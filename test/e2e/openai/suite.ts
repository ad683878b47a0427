import { specsIn } from '../../kit/run/specs-in.js';

await specsIn(import.meta.dirname);
