/**
 * Runs a program of this folder, as `npm run` names it: `node scripts/run.mjs TOOL [VARIANT] [arguments]`. Builds the service
 * first where the program needs it.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import '../test/kit/run/typescript.mjs';
import { node24 } from './support/node-24.mjs';

/**
 * By tool and variant, '' without one. `unbuilt`: the program does not use dist/.
 * @type {Readonly<Record<string, Readonly<Record<string, { file: string, unbuilt?: true, exposesGc?: true, onNode24?: true }>>>>}
 */
const TOOLS = {
  bench: {
    '': { file: 'bench/main.ts' },
    cli: { file: 'bench/cold-start.mjs' },
    dev: { file: 'bench/dev.mjs' },
    floor: { file: 'bench/floor/main.ts', onNode24: true },
    fairness: { file: 'fairness/main.ts' },
    memory: { file: 'memory/main.ts' },
    registry: { file: 'bench/registry.ts', unbuilt: true, exposesGc: true },
    tenants: { file: 'tenants/main.ts' },
    timing: { file: 'timing/main.ts' },
    verifier: { file: 'verifier.ts', unbuilt: true },
  },
  chaos: { '': { file: 'chaos/main.ts' } },
  cluster: { '': { file: 'cluster/main.ts', unbuilt: true } },
  compose: { '': { file: 'compose/main.ts', unbuilt: true } },
  conformance: {
    '': { file: 'conformance/main.ts', unbuilt: true },
    cli: { file: 'cli-compliance/main.ts', unbuilt: true },
    mcp: { file: 'mcp/conformance.mjs' },
  },
  demo: { '': { file: 'demo.mjs' }, console: { file: 'console/demo.mjs' } },
  docs: {
    plots: { file: 'docs/plots.ts', unbuilt: true },
    reference: { file: 'docs/reference.ts', unbuilt: true },
    screens: { file: 'console/screens.mjs' },
    settings: { file: 'docs/settings.ts', unbuilt: true },
  },
  flavours: { '': { file: 'flavours/main.ts' } },
  image: { '': { file: 'image/main.ts', unbuilt: true } },
  interop: {
    '': { file: 'interop/main.ts' },
    gateways: { file: 'gateways/main.ts' },
    mcp: { file: 'mcp/interop.mjs' },
    'mcp-tools': { file: 'mcp/interop-tools.mjs' },
  },
  tck: { '': { file: 'tck.mjs' } },
};

const [node = '', , tool = '', first = '', ...rest] = process.argv;
const variants = TOOLS[tool] ?? {};
const named = first === '' ? undefined : variants[first];
const program = named ?? variants[''];
if (program === undefined) {
  const names = Object.keys(variants).filter((name) => name !== '');
  console.error(`Usage: npm run ${tool} -- ${names.join(' | ')} [arguments]`);
  process.exit(2);
}
if (program.onNode24 && node !== node24()) {
  const { status } = spawnSync(node24(), process.argv.slice(1), { stdio: 'inherit' });
  process.exit(status ?? 1);
}
if (program.unbuilt !== true) {
  execFileSync(node, [fileURLToPath(new URL('build.mjs', import.meta.url))], { stdio: 'inherit' });
}
if (program.exposesGc) {
  setFlagsFromString('--expose-gc');
  globalThis.gc = runInNewContext('gc');
}
const file = new URL(program.file, import.meta.url);
process.argv = [node, fileURLToPath(file), ...(named === undefined && first !== '' ? [first] : []), ...rest];
await import(file.href);
