/**
 * Puts the Helm chart into a registry: `npm run check:cluster`. The chart is pushed as an OCI artifact to a registry on loopback, and each
 * profile is rendered from it by digest. Helm and the registry are built with Go, once, in .cache/tools. Exits with 1 when
 * something does not hold.
 *
 *   --cached  builds nothing: what is missing is said, and what needs it is left out
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MissingToolError } from '../image/buildah.js';
import { Findings } from '../support/findings.js';
import { Processes } from '../support/processes.js';
import { checkArtifact } from './artifact.js';
import { haveTools } from './tools.js';

const isCached = process.argv.includes('--cached');
const findings = new Findings();
const processes = new Processes(mkdtempSync(join(tmpdir(), 'parley-cluster-')));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end(1));
await run().catch((error: unknown) => {
  const reason = error instanceof Error ? error.message : String(error);
  if (isCached && error instanceof MissingToolError) console.log(`Skipped: ${reason}`);
  else findings.say('the check', false, reason);
});
await end(findings.faults === 0 ? 0 : 1);

async function run(): Promise<void> {
  await haveTools(isCached);
  await checkArtifact(processes, findings);
}

/** Ends what was started. The logs of a check that failed remain. */
async function end(status: number): Promise<never> {
  await processes.stop();
  if (status === 0) rmSync(processes.folder, { recursive: true });
  else console.log(`The logs are in ${processes.folder}`);
  process.exit(status);
}
