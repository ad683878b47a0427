import type { Environment } from '../../config/environment.js';
import { urlOf } from '../../http/public-address.js';
import { type Output, table } from '../output.js';
import { checkCard, type ExpectedCard } from './card-check.js';
import { checkConfiguration } from './configuration-check.js';
import { checkSettings } from './settings-check.js';
import { checkWork } from './work-check.js';
import type { Finding } from './finding.js';
import { checkIssuers } from './issuer-check.js';
import { checkRedis } from './redis-check.js';
import { checkSecrets } from './secret-check.js';

export interface DoctorOptions {
  /** Where the service answers, when that is neither PUBLIC_URL nor this machine. */
  readonly url?: string;
  readonly version: string;
  /** In place of the environment of this process. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** The clock of this machine, ms since 1970. */
  readonly clock?: () => number;
}

const MARKS = { ok: 'ok', warn: 'WARN', fail: 'FAIL' } as const;

/** Examines what a service with these variables would find. `sick` when something has to be mended. */
export async function examine(options: DoctorOptions): Promise<Output & { readonly sick: boolean }> {
  const findings = await findingsOf(options);
  const sick = findings.some(({ severity }) => severity === 'fail');
  const rows = findings.map(({ severity, check, text }) => [MARKS[severity], check, text]);
  const mends = findings.flatMap(({ text, mend }) => (mend === undefined ? [] : [`- ${text}.\n  ${mend}.`]));
  const toDo = mends.length === 0 ? '\nAll is well.' : `\nTo do:\n${mends.join('\n')}`;
  return { json: { sick, findings }, text: `${table(['', 'check', 'found'], rows)}\n${toDo}`, sick };
}

async function findingsOf({ url, version, variables, clock }: DoctorOptions): Promise<readonly Finding[]> {
  const { environment, findings } = checkConfiguration(variables);
  if (environment === undefined) return findings;
  const { HOST, PORT, PUBLIC_URL: publicUrl } = environment;
  const here = urlOf({ address: HOST, port: PORT });
  const settings = checkSettings(environment, version);
  const [redis, issuers, card] = await Promise.all([
    checkRedis(environment, clock),
    checkIssuers(environment, publicUrl ?? here),
    checkCard(url ?? publicUrl ?? here, expectedCard(environment, version)),
  ]);
  const canAsk = environment.REDIS_URL !== undefined && redis.every(({ severity }) => severity !== 'fail');
  const work = canAsk ? await checkWork(variables) : [];
  const secrets = canAsk && settings.length === 0 ? await checkSecrets(environment) : [];
  return [...findings, ...settings, ...redis, ...work, ...secrets, ...issuers, ...card];
}

function expectedCard({ PUBLIC_URL, ROLE, SECRET_KEYS }: Environment, version: string): ExpectedCard {
  return {
    version,
    ...(PUBLIC_URL === undefined ? {} : { publicUrl: PUBLIC_URL }),
    // A process of all roles makes keys of its own, which nobody else sees.
    ...(ROLE === 'all' ? {} : { webhooks: SECRET_KEYS !== undefined }),
  };
}
