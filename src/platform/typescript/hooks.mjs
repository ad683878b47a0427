/**
 * Module hooks: a TypeScript file is compiled when it is imported, by the compiler of the project in the working folder. An
 * import of `./x.js` finds `./x.ts`. Decorators and their metadata are compiled as `tsc` does, so that Nest can inject.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const typescript = compiler();

export function resolve(specifier, context, nextResolve) {
  if (specifier.startsWith('.') && specifier.endsWith('.js') && context.parentURL?.startsWith('file:')) {
    const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(source)) return { url: source.href, shortCircuit: true };
  }
  return nextResolve(specifier, context);
}

export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !/\.ts$/.test(new URL(url).pathname)) return nextLoad(url, context);
  const fileName = fileURLToPath(url);
  const { outputText, diagnostics = [] } = typescript.transpileModule(await readFile(fileName, 'utf8'), {
    fileName,
    reportDiagnostics: true,
    compilerOptions: {
      target: typescript.ScriptTarget.ES2022,
      module: typescript.ModuleKind.ESNext,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
      useDefineForClassFields: false,
      inlineSourceMap: true,
      inlineSources: true,
    },
  });
  const [fault] = diagnostics;
  if (fault !== undefined) throw new SyntaxError(faultText(fault));
  return { format: 'module', source: outputText, shortCircuit: true };
}

/** The compiler of the project, or the one beside this file. */
function compiler() {
  for (const from of [join(process.cwd(), 'package.json'), import.meta.url]) {
    try {
      return createRequire(from)('typescript');
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  throw new Error('The TypeScript compiler is missing. Install it: npm install --save-dev typescript');
}

function faultText({ file, start = 0, messageText }) {
  const text = typescript.flattenDiagnosticMessageText(messageText, '\n');
  if (file === undefined) return text;
  const { line, character } = file.getLineAndCharacterOfPosition(start);
  return `${file.fileName}:${String(line + 1)}:${String(character + 1)}: ${text}`;
}
