// `node --import ./test/kit/run/typescript.mjs FILE.ts` runs a TypeScript file of the project without a build.
import { register } from 'node:module';

register('./typescript-hooks.mjs', import.meta.url);
