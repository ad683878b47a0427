import { urlOf } from '../../http/public-address.js';
import { type Output, table } from '../output.js';
import { checkCard } from './card-check.js';
import { checkConfiguration } from './configuration-check.js';
import { checkSettings } from './settings-check.js';
import { checkWork } from './work-check.js';
import type { Finding } from './finding.js';
import { checkIssuers } from './issuer-check.js';
import { checkRedis } from './redis-check.js';

export interface DoctorOptions {
  /** Where the service answers, when that is neither PUBLIC_URL nor this machine. */
  readonly url?: string;
  readonly version: string;
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

async function findingsOf({ url, version }: DoctorOptions): Promise<readonly Finding[]> {
  const { environment, findings } = checkConfiguration();
  if (environment === undefined) return findings;
  const { HOST, PORT, PUBLIC_URL: publicUrl } = environment;
  const here = urlOf({ address: HOST, port: PORT });
  const [redis, issuers, card] = await Promise.all([
    checkRedis(environment),
    checkIssuers(environment, publicUrl ?? here),
    checkCard(url ?? publicUrl ?? here, { version, ...(publicUrl === undefined ? {} : { publicUrl }) }),
  ]);
  const canAsk = environment.REDIS_URL !== undefined && redis.every(({ severity }) => severity !== 'fail');
  const work = canAsk ? await checkWork() : [];
  return [...findings, ...checkSettings(environment, version), ...redis, ...work, ...issuers, ...card];
}
