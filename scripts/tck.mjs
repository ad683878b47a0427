// npm run tck -- --tck <folder>: runs the A2A TCK (github.com/a2aproject/a2a-tck) that is checked out in the folder
// against the built service. docs/conformance/tck.md has the setup and the latest result.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ServiceProcess } from '../test/kit/app/service-process.mjs';
import { KEY, readTck } from './tck/checkout.mjs';
import { runPytest } from './tck/pytest.mjs';
import { isClean } from './tck/report.mjs';

const PROGRAM = fileURLToPath(new URL('../test/tck/service.mjs', import.meta.url));

const { values } = parseArgs({ options: { tck: { type: 'string' }, python: { type: 'string' } } });
if (values.tck === undefined) {
  console.error('Usage: npm run tck -- --tck <folder of the TCK> [--python <program>]');
  process.exit(2);
}

const folder = resolve(values.tck);
const tck = await readTck(folder);
const python = values.python ?? join(folder, '.venv/bin/python');
const services = [
  { service: tck, caller: {} },
  ...(tck.guarded === undefined ? [] : [{ service: tck.guarded, caller: KEY }]),
];
let clean = true;
for (const { service, caller } of services) clean = (await passes(service, caller)) && clean;
console.log(clean ? '\nNothing failed but what is known.' : '\nSomething failed that is not known.');
process.exitCode = clean ? 0 : 1;

/** Starts the service, runs the TCK's tests against it, and prints the result at its end. */
async function passes({ variables, runs }, caller) {
  const work = await mkdtemp(join(tmpdir(), 'parley-tck-'));
  const own = { GRPC_PORT: '0', DATA_DIR: work, AUDIT_LOG: '/dev/null', DEFAULT_SKILL: 'tck' };
  const service = new ServiceProcess(
    { ...own, EGRESS_ALLOW: 'localhost:8888=127.0.0.1/32!http', ...variables },
    PROGRAM,
  );
  try {
    const address = await service.ready();
    console.log(`TCK ${tck.revision} against ${address}`);
    let allClean = true;
    for (const { name, args } of runs(address)) {
      const cases = await runPytest({ python, folder, args, caller, report: join(work, 'report.xml') });
      allClean = isClean({ name, cases }) && allClean;
    }
    return allClean;
  } finally {
    await service.stop('SIGINT');
    await rm(work, { recursive: true, force: true });
  }
}
