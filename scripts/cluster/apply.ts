import { eventually } from '../../test/kit/run/eventually.js';
import type { Findings } from '../support/findings.js';
import type { Cluster, Pod } from './cluster.js';
import { HollowNodes } from './hollow.js';
import { CHART, PROFILES, Release, templateOf, valuesOf } from './release.js';
import { customResources } from './tools.js';

const NODES = ['n1', 'n2'];
const SCHEDULE_MS = 60_000;
/** The profile with fixed numbers of replicas. */
const SCALED = 'cluster';
const AUTOSCALING = [
  'api.autoscaling.enabled=true',
  'worker.keda.enabled=true',
  'worker.keda.prometheusUrl=http://prometheus:9090',
];

/**
 * What API server, controllers and scheduler say of the chart, on nodes without a machine.
 * @param artifact the chart in a registry
 */
export async function checkApplied(cluster: Cluster, findings: Findings, artifact: readonly string[]): Promise<void> {
  for (const file of customResources()) await cluster.kubectl(['apply', '--server-side', '-f', file]);
  const nodes = await HollowNodes.start(cluster, NODES);
  try {
    for (const profile of PROFILES) await accepted(cluster, findings, profile);
    // For the claim of the bundled Redis, without a provisioner.
    await cluster.apply(aVolume('trial'));
    for (const profile of PROFILES) await scheduled(cluster, findings, profile, artifact);
    await withZones(cluster, findings);
    const release = new Release(cluster, SCALED);
    await repeated(release, findings);
    await spread(release, findings);
    await autoscaled(release, findings);
    await rotated(cluster, release, findings);
  } finally {
    await nodes.stop();
  }
}

/** Every object, as the API server judges it without storing it. */
async function accepted(cluster: Cluster, findings: Findings, profile: string): Promise<void> {
  await new Release(cluster, profile).makeNamespace();
  const manifests = await cluster.helm([...templateOf([CHART], profile, profile), '--skip-tests']);
  const objects = manifests.match(/^kind: /gm)?.length ?? 0;
  await findings.expect(`${profile} is accepted`, async () => {
    const words = ['apply', '--server-side', '--dry-run=server', '--warnings-as-errors', '--namespace', profile];
    const answer = await cluster.kubectl([...words, '-f', '-'], manifests);
    const taken = answer.split('\n').filter((line) => line.includes('serverside-applied')).length;
    if (taken !== objects) throw new Error(`Only ${String(taken)} of ${String(objects)} objects`);
    return `${String(objects)} objects`;
  });
}

/** Installed from a registry, in a namespace that admits restricted pods only, on nodes without labels of a zone (KB-1). */
async function scheduled(
  cluster: Cluster,
  findings: Findings,
  profile: string,
  artifact: readonly string[],
): Promise<void> {
  const release = new Release(cluster, profile);
  await release.install(valuesOf(profile), artifact);
  await release.untilReady().catch(() => undefined);
  const pods = await release.pods();
  const holds = (await release.isReady()) && pods.length > 0 && pods.every(isPlaced);
  const fact = `${String(pods.filter(isPlaced).length)} of ${String(pods.length)} pods, on nodes without a zone`;
  findings.say(`${profile} is scheduled (KB-1)`, holds, fact, unplaced(pods));
}

/** What values.yaml says of the other value; it shows that this check can fail. */
async function withZones(cluster: Cluster, findings: Findings): Promise<void> {
  const release = new Release(cluster, 'zones');
  await release.makeNamespace();
  await release.install([...valuesOf(SCALED), '--set', 'zoneSpread=DoNotSchedule']);
  const pods = await eventually(
    async () => {
      const now = await release.pods();
      if (now.length < 21 || unplaced(now).length < 21) throw new Error('The scheduler has not judged all of them');
      return now;
    },
    { timeoutMs: SCHEDULE_MS, intervalMs: 300 },
  );
  const placed = pods.filter(isPlaced).length;
  const fact = `${String(placed)} of ${String(pods.length)} pods scheduled, as documented`;
  findings.say('zoneSpread=DoNotSchedule', placed === 0, fact);
  await release.remove();
}

/** The same values again restart nothing (FITS-11). */
async function repeated(release: Release, findings: Findings): Promise<void> {
  const before = await release.generations();
  await release.upgrade([]);
  const changed = differences(before, await release.generations());
  findings.say('an upgrade with the same values', changed === 0, `rolls ${String(changed)} of 3 Deployments`);
}

/** After a rollout the pods of each role are on both nodes (KB-3). */
async function spread(release: Release, findings: Findings): Promise<void> {
  for (const level of ['info', 'warn', 'error']) {
    await release.upgrade([`config.LOG_LEVEL=${level}`]);
    await release.untilReady();
    const numbers = await release.perNode(NODES);
    const holds = numbers.every(({ skew }) => skew <= 1);
    findings.say('pods per node after a rollout (KB-3)', holds, numbers.map(({ text }) => text).join(', '));
  }
}

/** Autoscaling switched on keeps the replicas (KB-2). */
async function autoscaled(release: Release, findings: Findings): Promise<void> {
  const before = await release.replicas();
  await release.upgrade(AUTOSCALING);
  // Of a manifest without the number the API server makes 1, at once.
  const after = await release.replicas();
  findings.say('autoscaling is switched on (KB-2)', before === after, `replicas before ${before}, after ${after}`);
}

/** A changed secret rolls the pods at the next upgrade (KB-8). */
async function rotated(cluster: Cluster, release: Release, findings: Findings): Promise<void> {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'given', namespace: SCALED } };
  await cluster.apply({ ...secret, stringData: { SECRET_KEYS: 'k1:a' } });
  await release.upgrade(['existingSecret=given']);
  const before = await release.generations();
  await release.upgrade([]);
  const same = await release.generations();
  await cluster.apply({ ...secret, stringData: { SECRET_KEYS: 'k2:b,k1:a' } });
  await release.upgrade([]);
  const changed = differences(same, await release.generations());
  const holds = differences(before, same) === 0 && changed === 3;
  findings.say('a changed secret (KB-8)', holds, `the next upgrade rolls ${String(changed)} of 3 Deployments`);
}

function differences(before: readonly number[], after: readonly number[]): number {
  return after.filter((generation, at) => generation !== before[at]).length;
}

function isPlaced({ spec }: Pod): boolean {
  return spec.nodeName !== undefined;
}

/** The scheduler's reasons. */
function unplaced(pods: readonly Pod[]): readonly string[] {
  return pods.flatMap(({ status }) =>
    (status.conditions ?? []).flatMap(({ type, status: holds, message = '' }) =>
      type === 'PodScheduled' && holds === 'False' ? [message] : [],
    ),
  );
}

function aVolume(name: string): object {
  return {
    ...{ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name } },
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/none' } },
  };
}
