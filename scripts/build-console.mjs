/**
 * Builds the browser's part of the console into dist/console/: files with hashed names, each also compressed. `build.mjs` calls
 * it when something in console/ is newer than what is there. Vite is asked for nothing but to bundle: no server, no plugins.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OUT = join(ROOT, 'dist/console');
/** Browsers in which everything that the console uses is there: they are two years old. */
const TARGET = ['chrome123', 'firefox125', 'safari17.5'];
/** The page itself is compressed by the service, which writes its settings into it. */
const COMPRESSED = /\.(js|css|svg)$/;

const began = performance.now();
const { output } = await build({
  root: join(ROOT, 'console'),
  configFile: false,
  base: '/console/',
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    write: false,
    target: TARGET,
    sourcemap: false,
    // The policy of the page lets data: addresses load nothing.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
const files = output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : file.source]);
rmSync(OUT, { recursive: true, force: true });
for (const [name, content] of files) write(name, Buffer.from(content));
const script = files.filter(([name]) => /assets\/index-.*\.js$/.test(name)).map(([, code]) => gzipSync(code).length);
const ms = Math.round(performance.now() - began);
console.log(`The console is built in ${ms} ms; its first script has ${(script[0] / 1024).toFixed(1)} KiB (gzip).`);

function write(name, bytes) {
  mkdirSync(join(OUT, name, '..'), { recursive: true });
  writeFileSync(join(OUT, name), bytes);
  if (!COMPRESSED.test(name)) return;
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } };
  writeFileSync(join(OUT, `${name}.br`), brotliCompressSync(bytes, quality));
  writeFileSync(join(OUT, `${name}.gz`), gzipSync(bytes));
}
