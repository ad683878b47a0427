// npm run conformance -- mcp [--requirements 2026-07-28 | --requirements client]: runs the official MCP conformance suite, in a
// pinned version, at both revisions against the built service with the suite's fixtures, and its scenarios for clients against
// the tool client. Exits with 1 if a scenario fails that test/mcp/baseline.yaml does not list, or if a listed one passes.
import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { ServiceProcess } from '../../test/kit/app/service-process.mjs';
import { npmPackages } from './toolbox.mjs';

const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const PROGRAM = fileURLToPath(new URL('../../test/mcp/service.mjs', import.meta.url));
const NODE_20 = fileURLToPath(new URL('../../test/mcp/node-20.mjs', import.meta.url));
const BASELINE = new URL('../../test/mcp/baseline.yaml', import.meta.url);
const RESULT = /^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed/;
/** A question comes before a handle, and a job of a second after it. */
const SETTINGS_FILE = join(mkdtempSync(join(tmpdir(), 'parley-mcp-')), 'parley.yaml');
writeFileSync(SETTINGS_FILE, 'mcp:\n  taskAfterMs: 600\n');
const SETTINGS = { MCP: 'true', PARLEY_FILE: SETTINGS_FILE, AUDIT_LOG: '/dev/null', LOG_LEVEL: 'silent' };

const CLIENT = fileURLToPath(new URL('../../test/mcp/clients/conformance.mjs', import.meta.url));
/**
 * The suite's requirements of clients, as far as they concern one of tools. The others are logins of people: the tool client proves
 * itself as a service.
 */
const CLIENT_SCENARIOS = [
  ...['tools_call', 'initialize', 'request-metadata', 'sep-2322-client-request-state', 'http-standard-headers'],
  ...['http-custom-headers', 'http-invalid-tool-headers', 'json-schema-ref-no-deref'],
  ...['auth/client-credentials-basic', 'auth/client-credentials-jwt'],
];

const { values } = parseArgs({ options: { requirements: { type: 'string' } } });
const baseline = parse(await readFile(BASELINE, 'utf8'));
const folder = await npmPackages('conformance', [SUITE]);
let surprises = 0;
for (const revision of Object.keys(baseline)) {
  if (values.requirements !== undefined && values.requirements !== revision) continue;
  surprises += report(revision, revision === 'client' ? await clientResults() : await resultsOf(revision));
}
process.exitCode = surprises === 0 ? 0 : 1;

/** Failed checks by scenario, of all that ran. */
async function resultsOf(revision) {
  const data = await mkdtemp(join(tmpdir(), 'parley-mcp-'));
  const service = new ServiceProcess({ ...SETTINGS, LOG_LEVEL: 'info', DATA_DIR: data }, PROGRAM);
  try {
    const address = await service.ready();
    const output = await suite(['server', '--url', `${address}/mcp`, '--requirements', revision]);
    const found = output.split('\n').flatMap((line) => {
      const [, name, , failed] = RESULT.exec(line) ?? [];
      return name === undefined ? [] : [[name, Number(failed)]];
    });
    if (found.length === 0) throw new Error(`The suite gave no results:\n${output.slice(-2000)}`);
    return new Map(found);
  } finally {
    await service.stop('SIGINT');
    await rm(data, { recursive: true, force: true });
  }
}

/** Whether each scenario of a client fails: 1, or 0. */
async function clientResults() {
  const results = new Map();
  for (const scenario of CLIENT_SCENARIOS) {
    const output = await suite(['client', '--command', `${process.execPath} ${CLIENT}`, '--scenario', scenario]);
    const [, failed, warnings] = /^Passed: [^\n]*?, (\d+) failed, (\d+) warnings/m.exec(output) ?? [];
    if (failed === undefined) throw new Error(`The suite gave no result of ${scenario}:\n${output.slice(-2000)}`);
    results.set(scenario, Number(failed) + Number(warnings) + (output.includes('OVERALL: PASSED') ? 0 : 1));
  }
  return results;
}

/** The output of the suite; its own exit code says less than its lines. */
function suite(args) {
  const program = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const child = spawn(process.execPath, ['--import', NODE_20, program, ...args], { cwd: folder });
  return new Promise((resolve, reject) => {
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.once('error', reject).once('close', () => resolve(output));
  });
}

/** Prints the results of a revision; gives the number of those that the baseline does not explain. */
function report(revision, results) {
  const known = baseline[revision] ?? {};
  const failed = [...results].filter(([, count]) => count > 0).map(([name]) => name);
  const unexplained = failed.filter((name) => known[name] === undefined);
  const passing = Object.keys(known).filter((name) => results.has(name) && !failed.includes(name));
  console.log(`MCP ${revision}: ${results.size - failed.length} of ${results.size} scenarios pass`);
  for (const name of unexplained) console.log(`  ${name} fails and is not in the baseline`);
  for (const name of passing) console.log(`  ${name} passes: remove it from the baseline`);
  return unexplained.length + passing.length;
}
