// Module hooks: TypeScript sources run as they are, compiled as the tests are. An import of `./x.js` finds `./x.ts`.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transformFile } from '@swc/core';

/** As `exports` in package.json says, from the sources. */
const API_FILES = {
  'parley/agent': '../../../src/agent/flow/api.ts',
  'parley/model': '../../../src/model/api.ts',
  'parley/skill': '../../../src/skill/api.ts',
  'parley/testing': '../../../src/skill/testing/api.ts',
};

export function resolve(specifier, context, nextResolve) {
  if (specifier in API_FILES) return { url: new URL(API_FILES[specifier], import.meta.url).href, shortCircuit: true };
  if (specifier.startsWith('.') && specifier.endsWith('.js')) {
    const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (source.protocol === 'file:' && existsSync(source)) return { url: source.href, shortCircuit: true };
  }
  return nextResolve(specifier, { ...context, conditions: ['parley-source', ...context.conditions] });
}

export async function load(url, context, nextLoad) {
  if (!url.endsWith('.ts')) return nextLoad(url, context);
  const { code } = await transformFile(fileURLToPath(url), {
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
    },
    module: { type: 'es6' },
    sourceMaps: 'inline',
  });
  return { format: 'module', source: code, shortCircuit: true };
}
