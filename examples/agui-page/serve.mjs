/** Bundles the page and serves it: `node examples/agui-page/serve.mjs [port]`. Any static server would do. */
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build, defaultClientConditions } from 'vite';

const { output } = await build({
  root: fileURLToPath(new URL('.', import.meta.url)),
  configFile: false,
  logLevel: 'warn',
  resolve: { conditions: ['parley-source', ...defaultClientConditions] },
  build: { write: false, modulePreload: { polyfill: false } },
});
const files = new Map(output.map((file) => [`/${file.fileName}`, file.type === 'chunk' ? file.code : file.source]));
const server = createServer(({ url = '/' }, response) => {
  const { pathname } = new URL(url, 'http://page');
  const content = files.get(pathname === '/' ? '/index.html' : pathname);
  const type = pathname.endsWith('.js') ? 'text/javascript' : 'text/html';
  response.writeHead(content === undefined ? 404 : 200, { 'content-type': `${type}; charset=utf-8` });
  response.end(content);
});
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${String(server.address().port)}`);
});
