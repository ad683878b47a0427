// The conformance suite asks for Node 22, of which the part that is run here needs nothing but the name `fs.globSync`. This
// gives it the name on Node 20: `node --import test/mcp/node-20.mjs`.
import { register } from 'node:module';

const FS = `export * from 'node:fs'; export function globSync() { throw new Error('fs.globSync is of Node 22'); }`;

const HOOKS = `
export function resolve(specifier, context, next) {
  const isSuite = context.parentURL?.includes('/@modelcontextprotocol/conformance/') === true;
  if (specifier !== 'fs' || !isSuite) return next(specifier, context);
  return { url: ${JSON.stringify(`data:text/javascript,${encodeURIComponent(FS)}`)}, shortCircuit: true };
}`;

register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);
