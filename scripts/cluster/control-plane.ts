import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freeLoopbackPort } from '../../src/platform/redis/embedded/free-port.js';
import { eventually } from '../../test/kit/run/eventually.js';
import type { Processes } from '../support/processes.js';
import { Cluster } from './cluster.js';
import { tool } from './tools.js';

const START_MS = 120_000;

/** etcd and the control plane of Kubernetes on loopback, with data in the folder of the processes. */
export async function startControlPlane(processes: Processes): Promise<Cluster> {
  const { folder } = processes;
  const token = randomBytes(24).toString('hex');
  const tokens = join(folder, 'tokens.csv');
  writeFileSync(tokens, `${token},admin,admin,"system:masters"\n`, { mode: 0o600 });
  const [publicKey, privateKey] = writeKeys(folder);
  const certificates = join(folder, 'certificates');
  mkdirSync(certificates);

  const store = await startStore(processes);
  const port = await freeLoopbackPort();
  const cluster = new Cluster(`https://127.0.0.1:${String(port)}`, token, folder);
  const answers = (path: string): Promise<unknown> =>
    eventually(
      () => {
        processes.assertRunning();
        return cluster.api('GET', path);
      },
      { timeoutMs: START_MS, intervalMs: 300 },
    );
  processes.start('kube-apiserver', tool('kube-apiserver'), [
    ...[`--etcd-servers=${store}`, `--cert-dir=${certificates}`, `--token-auth-file=${tokens}`],
    ...['--bind-address=127.0.0.1', `--secure-port=${String(port)}`, '--authorization-mode=RBAC'],
    ...['--service-cluster-ip-range=10.96.0.0/16', '--endpoint-reconciler-type=none', '--allow-privileged=true'],
    ...['--service-account-issuer=https://kubernetes.default.svc', `--service-account-key-file=${publicKey}`],
    `--service-account-signing-key-file=${privateKey}`,
  ]);
  await answers('/readyz');
  const client = [`--kubeconfig=${cluster.kubeconfig}`, '--leader-elect=false', `--cert-dir=${certificates}`];
  const listen = async (): Promise<readonly string[]> => [
    ...['--bind-address=127.0.0.1', `--secure-port=${String(await freeLoopbackPort())}`],
  ];
  processes.start('kube-controller-manager', tool('kube-controller-manager'), [
    ...[...client, ...(await listen()), `--service-account-private-key-file=${privateKey}`],
    `--root-ca-file=${join(certificates, 'apiserver.crt')}`,
  ]);
  processes.start('kube-scheduler', tool('kube-scheduler'), [...client, ...(await listen())]);
  // A pod needs it. The controller manager makes it.
  await answers('/api/v1/namespaces/default/serviceaccounts/default');
  return cluster;
}

/** @returns the address of etcd */
async function startStore(processes: Processes): Promise<string> {
  const [address, peer] = (await Promise.all([freeLoopbackPort(), freeLoopbackPort()])).map(
    (port) => `http://127.0.0.1:${String(port)}`,
  ) as [string, string];
  processes.start('etcd', 'etcd', [
    ...['--data-dir', join(processes.folder, 'etcd'), '--unsafe-no-fsync', '--log-level', 'warn'],
    ...['--listen-client-urls', address, '--advertise-client-urls', address],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `default=${peer}`],
  ]);
  return address;
}

function writeKeys(folder: string): readonly [publicKey: string, privateKey: string] {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const [publicKey, privateKey] = [join(folder, 'sa.pub'), join(folder, 'sa.key')];
  writeFileSync(publicKey, pair.publicKey.export({ type: 'spki', format: 'pem' }));
  writeFileSync(privateKey, pair.privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  return [publicKey, privateKey];
}
