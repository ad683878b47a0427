// npm run tck -- --tck <folder>: runs the A2A TCK (github.com/a2aproject/a2a-tck) that is checked out in the folder
// against the built service. docs/conformance/tck.md has the setup and the latest result.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ServiceProcess } from '../test/kit/service-process.mjs';
import { KEY, readTck } from './tck/checkout.mjs';
import { runPytest } from './tck/pytest.mjs';
import { report } from './tck/report.mjs';

const PROGRAM = fileURLToPath(new URL('../test/tck/service.mjs', import.meta.url));

const { values } = parseArgs({ options: { tck: { type: 'string' }, python: { type: 'string' } } });
if (values.tck === undefined) {
  console.error('Usage: npm run tck -- --tck <folder of the TCK> [--python <program>]');
  process.exit(2);
}

const folder = resolve(values.tck);
const tck = await readTck(folder);
const python = values.python ?? join(folder, '.venv/bin/python');
const results = await resultsOf(tck, {});
if (tck.guarded !== undefined) results.push(...(await resultsOf(tck.guarded, KEY)));
process.exitCode = report(results) ? 0 : 1;

/** Starts the service, and has the TCK's tests run against it. */
async function resultsOf({ variables, runs }, caller) {
  const work = await mkdtemp(join(tmpdir(), 'parley-tck-'));
  const own = { GRPC_PORT: '0', DATA_DIR: work, AUDIT_LOG: '/dev/null', DEFAULT_SKILL: 'tck' };
  const service = new ServiceProcess(
    { ...own, EGRESS_ALLOW: 'localhost:8888=127.0.0.1/32!http', ...variables },
    PROGRAM,
  );
  try {
    const address = await service.ready();
    console.log(`TCK ${tck.revision} against ${address}`);
    const results = [];
    for (const { name, args } of runs(address)) {
      const cases = await runPytest({ python, folder, args, caller, report: join(work, 'report.xml') });
      results.push({ name, cases });
    }
    return results;
  } finally {
    await service.stop('SIGINT');
    await rm(work, { recursive: true, force: true });
  }
}
