// `node --import parley/typescript FILE.ts` runs TypeScript with decorators as it is written; nothing checks its types.
import { register } from 'node:module';

register('./hooks.mjs', import.meta.url);
