/**
 * Builds the browser's part of the console into dist/console/: files with hashed names, each also compressed. `scripts/build.mjs` calls
 * it when something in console/ is newer than what is there. Vite is asked for nothing but to bundle: no server, no plugins.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build, defaultClientConditions } from 'vite';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OUT = join(ROOT, 'dist/console');
/** Browsers in which everything that the console uses is there: they are two years old. */
const TARGET = ['chrome123', 'firefox125', 'safari17.5'];
/** The page itself is compressed by the service, which writes its settings into it. */
const COMPRESSED = /\.(m?js|css|svg)$/;
/** Folder of pdf.js: the parts that the preview of PDFs loads on demand are copied. */
const PDFJS = join(ROOT, 'node_modules/pdfjs-dist');

const began = performance.now();
const { output } = await build({
  root: join(ROOT, 'console'),
  configFile: false,
  base: '/console/',
  logLevel: 'warn',
  resolve: { conditions: ['parley-source', ...defaultClientConditions] },
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
const chunks = output.filter(({ type }) => type === 'chunk');
const first = withImports(chunks.find(({ isEntry }) => isEntry));
/** Scripts of the first screen that run after the page was painted: the page has them fetched before. */
const later = withImports(chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('/app/main.tsx')));
rmSync(OUT, { recursive: true, force: true });
for (const file of output) write(file.fileName, Buffer.from(contentOf(file)));
copyPdfData();
const script = [...new Set([...first, ...later])].reduce((sum, name) => sum + gzipSync(codeOf(name)).length, 0);
const ms = Math.round(performance.now() - began);
console.log(
  `The console is built in ${ms} ms; its first screen has ${(script / 1024).toFixed(1)} KiB of script (gzip).`,
);

/**
 * Tables of characters for texts in Chinese, Japanese and Korean, the two fonts of symbols that systems lack, and decoders of scanned
 * images without WebAssembly, with their licences. Their folder has the version: a browser keeps them for ever.
 */
function copyPdfData() {
  const { version } = JSON.parse(readFileSync(join(PDFJS, 'package.json'), 'utf8'));
  const copy = (folder, wanted) => {
    for (const name of readdirSync(join(PDFJS, folder)).filter((one) => wanted.test(one)))
      write(`assets/pdfjs-${version}/${name}`, readFileSync(join(PDFJS, folder, name)));
  };
  copy('.', /^LICENSE$/);
  copy('cmaps', /\.bcmap$|^LICENSE/);
  copy('standard_fonts', /^Foxit(Symbol|Dingbats)\.pfb$|^LICENSE_FOXIT$/);
  copy('wasm', /_nowasm_fallback\.js$|^LICENSE_(PDFJS_)?(JBIG2|OPENJPEG)$/);
}

function contentOf(file) {
  if (file.type === 'chunk') return file.code;
  if (file.fileName !== 'index.html') return file.source;
  const links = later
    .filter((name) => !first.includes(name))
    .map((name) => `<link rel="modulepreload" href="/console/${name}">`);
  return file.source.replace('</head>', `${links.join('')}</head>`);
}

/** Names of a script and of all that it imports at once. */
function withImports(chunk, known = new Set()) {
  if (chunk === undefined || known.has(chunk.fileName)) return [...known];
  known.add(chunk.fileName);
  for (const name of chunk.imports)
    withImports(
      chunks.find(({ fileName }) => fileName === name),
      known,
    );
  return [...known];
}

function codeOf(name) {
  return chunks.find(({ fileName }) => fileName === name)?.code ?? '';
}

function write(name, bytes) {
  mkdirSync(join(OUT, name, '..'), { recursive: true });
  writeFileSync(join(OUT, name), bytes);
  if (!COMPRESSED.test(name)) return;
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } };
  writeFileSync(join(OUT, `${name}.br`), brotliCompressSync(bytes, quality));
  writeFileSync(join(OUT, `${name}.gz`), gzipSync(bytes));
}
