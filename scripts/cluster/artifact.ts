import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { freeLoopbackPort } from '../../src/platform/redis/embedded/free-port.js';
import { eventually } from '../../test/kit/run/eventually.js';
import type { Findings } from '../support/findings.js';
import type { Processes } from '../support/processes.js';
import { CHART, PROFILES, RELEASE, templateOf } from './release.js';
import { helm, ROOT, tool } from './tools.js';

const NO_DIGEST = `sha256:${'0'.repeat(64)}`;

/**
 * Pushes the chart to a registry on loopback, and renders each profile from it by digest (FITS-11).
 * @returns the words by which Helm finds it there
 */
export async function checkArtifact(processes: Processes, findings: Findings): Promise<readonly string[]> {
  const { folder } = processes;
  const host = `127.0.0.1:${String(await freeLoopbackPort())}`;
  processes.start('registry', tool('crane'), ['registry', 'serve', '--address', host]);
  await eventually(() => fetch(`http://${host}/v2/`), { timeoutMs: 30_000 });

  const packed = join(folder, 'packed');
  mkdirSync(packed);
  const archive = (await helm(['package', CHART, '--destination', packed], folder)).split(' ').at(-1) ?? '';
  // Helm says the digest on stderr: the registry has it.
  await helm(['push', archive, `oci://${host}/charts`, '--plain-http'], folder);
  const name = `${host}/charts/${RELEASE}`;
  const digest = await digestOf(name);
  const artifact = [`oci://${name}@${digest}`, '--plain-http'];

  await helm(['pull', ...artifact, '--untar', '--untardir', join(folder, 'pulled')], folder);
  for (const profile of PROFILES) {
    const file = `ci/${profile}-values.yaml`;
    const [ours, theirs] = [join(ROOT, CHART, file), join(folder, 'pulled', RELEASE, file)].map((path) =>
      readFileSync(path, 'utf8'),
    );
    const [here, there] = await Promise.all([[CHART], artifact].map((chart) => rendered(chart, profile, folder)));
    findings.say(
      `${profile} from a registry by digest (FITS-11)`,
      here === there && ours === theirs,
      'renders what the folder renders',
    );
  }
  const foreign = await rendered([`oci://${name}@${NO_DIGEST}`, '--plain-http'], 'trial', folder).then(
    () => true,
    () => false,
  );
  findings.say('another digest', !foreign, 'is refused');
  return artifact;
}

async function rendered(chart: readonly string[], profile: string, folder: string): Promise<string> {
  const manifests = await helm(templateOf(chart, profile, 'agents'), folder);
  // Helm says first where it has an artifact from.
  return manifests.slice(manifests.indexOf('---'));
}

async function digestOf(name: string): Promise<string> {
  const [host = '', ...path] = name.split('/');
  const { version } = parse(readFileSync(join(ROOT, CHART, 'Chart.yaml'), 'utf8')) as { readonly version: string };
  const url = `http://${host}/v2/${path.join('/')}/manifests/${version}`;
  const response = await fetch(url, { headers: { accept: 'application/vnd.oci.image.manifest.v1+json' } });
  const digest = response.headers.get('docker-content-digest');
  if (!response.ok || digest === null)
    throw new Error(`The registry does not have ${name}: ${String(response.status)}`);
  return digest;
}
