import { randomBytes } from 'node:crypto';
import type { ChaosReceiver } from './receivers.js';

/** What services of several roles need to deliver to receivers on this machine. */
export function webhookVariables(receivers: readonly ChaosReceiver[]): Readonly<Record<string, string>> {
  return {
    SECRET_KEYS: `chaos:${randomBytes(32).toString('base64')}`,
    EGRESS_ALLOW: receivers.map(({ allowEntry }) => allowEntry).join(';'),
  };
}
