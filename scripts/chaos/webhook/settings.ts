import { randomBytes } from 'node:crypto';
import type { ChaosReceiver } from './receivers.js';

/** Settings with which services of several roles deliver to receivers on this machine. */
export function webhookVariables(receivers: readonly ChaosReceiver[]): Readonly<Record<string, string>> {
  return {
    SECRET_KEYS: `chaos:${randomBytes(32).toString('base64')}`,
    EGRESS_ALLOW: receivers.map(({ allowEntry }) => allowEntry).join(';'),
  };
}
