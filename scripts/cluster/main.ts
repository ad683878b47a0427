/**
 * Puts the Helm chart on a control plane of Kubernetes: `npm run check:cluster -- --apply`. The chart is pushed to a registry on loopback, and
 * each profile is rendered from it by digest. Then API server, controllers and scheduler, with etcd and on nodes without a
 * machine: every profile is accepted in a `restricted` namespace and scheduled, and what upgrades change. Needs etcd and kubectl; the
 * rest is built with Go, once, in .cache/tools. Exits with 1 when something does not hold.
 *
 *   --cached  builds nothing: what is missing is said, and what needs it is left out
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MissingToolError } from '../image/buildah.js';
import { Findings } from '../support/findings.js';
import { Processes } from '../support/processes.js';
import { checkApplied } from './apply.js';
import { checkArtifact } from './artifact.js';
import { startControlPlane } from './control-plane.js';
import { ARTIFACT_PROGRAMS, buildTools, CONTROL_PLANE, KUBERNETES, notCached, requirePrograms } from './tools.js';

const isCached = process.argv.includes('--cached');

if (!process.argv.includes('--apply')) {
  console.error('Usage: npm run check:cluster -- --apply [--cached]');
  process.exit(2);
}

const findings = new Findings();
const folder = mkdtempSync(join(tmpdir(), 'parley-cluster-'));
const processes = new Processes(folder);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end(1));
await run().catch((error: unknown) => {
  const reason = error instanceof Error ? error.message : String(error);
  if (isCached && error instanceof MissingToolError) console.log(`Skipped: ${reason}`);
  else findings.say('the check', false, reason);
});
await end(findings.faults === 0 ? 0 : 1);

async function run(): Promise<void> {
  await have(ARTIFACT_PROGRAMS);
  const artifact = await checkArtifact(processes, findings);
  await have(CONTROL_PLANE);
  await requirePrograms({ etcd: 'apt-get install etcd-server', kubectl: 'apt-get install kubernetes-client' });
  const cluster = await startControlPlane(processes);
  console.log(`Kubernetes ${KUBERNETES}: API server, controllers and scheduler, nodes without a machine`);
  await checkApplied(cluster, findings, artifact);
}

async function have(programs: readonly string[]): Promise<void> {
  if (!isCached) return buildTools(programs);
  const missing = notCached(programs);
  if (missing.length > 0)
    throw new MissingToolError(`${missing.join(', ')} not in .cache/tools: check:cluster makes them`);
}

/** Ends what was started. The logs of a check that failed remain. */
async function end(status: number): Promise<never> {
  await processes.stop();
  if (status === 0) rmSync(folder, { recursive: true });
  else console.log(`The logs are in ${folder}`);
  process.exit(status);
}
