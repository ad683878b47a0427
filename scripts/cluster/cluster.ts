import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { stringify } from 'yaml';
import { command } from '../support/command.js';
import { helm, ROOT } from './tools.js';

const CALL_MS = 30_000;

export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly nodeName?: string; readonly containers: readonly { readonly name: string }[] };
  readonly status: {
    readonly phase: string;
    readonly podIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

export interface Deployment {
  readonly metadata: { readonly name: string; readonly generation: number };
  readonly spec: { readonly replicas: number };
  readonly status: Partial<
    Readonly<Record<'observedGeneration' | 'readyReplicas' | 'replicas' | 'updatedReplicas', number>>
  >;
}

/** A cluster as its administrator reaches it: by its API, kubectl and Helm. */
export class Cluster {
  readonly kubeconfig: string;
  /** Only this process and those that it starts know the token, and the address is one of loopback. */
  private readonly agent = new Agent({ connect: { rejectUnauthorized: false }, bodyTimeout: CALL_MS });
  /** Of kubectl and Helm. */
  readonly env: NodeJS.ProcessEnv;

  constructor(
    readonly server: string,
    private readonly token: string,
    private readonly folder: string,
  ) {
    this.kubeconfig = join(folder, 'kubeconfig');
    const context = { name: 'check', context: { cluster: 'check', user: 'admin' } };
    const config = {
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'check', contexts: [context] },
      clusters: [{ name: 'check', cluster: { server, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'admin', user: { token } }],
    };
    writeFileSync(this.kubeconfig, stringify(config), { mode: 0o600 });
    this.env = { ...process.env, KUBECONFIG: this.kubeconfig };
  }

  kubectl(words: readonly string[], input?: string): Promise<string> {
    return command('kubectl', words, { cwd: ROOT, env: this.env, ...(input === undefined ? {} : { input }) });
  }

  helm(words: readonly string[]): Promise<string> {
    return helm(words, this.folder, this.env);
  }

  apply(...objects: readonly object[]): Promise<string> {
    return this.kubectl(['apply', '--server-side', '-f', '-'], objects.map((one) => stringify(one)).join('---\n'));
  }

  /** @throws with the answer of the API server, when it refuses */
  async api(method: 'DELETE' | 'GET' | 'PATCH', path: string, body?: object): Promise<unknown> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const { statusCode, body: answer } = await request(`${this.server}${path}`, {
      ...{ method, dispatcher: this.agent, headersTimeout: CALL_MS },
      headers: { authorization: `Bearer ${this.token}`, 'content-type': type },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (statusCode >= 300) throw new Error(`${method} ${path}: ${String(statusCode)} ${text}`);
    return text.startsWith('{') ? (JSON.parse(text) as unknown) : text;
  }

  /** @param namespace of all namespaces, if absent */
  async pods(namespace?: string): Promise<readonly Pod[]> {
    const path = namespace === undefined ? '/api/v1/pods' : `/api/v1/namespaces/${namespace}/pods`;
    return ((await this.api('GET', path)) as { readonly items: readonly Pod[] }).items;
  }

  async deployments(namespace: string): Promise<readonly Deployment[]> {
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    return ((await this.api('GET', path)) as { readonly items: readonly Deployment[] }).items;
  }
}
