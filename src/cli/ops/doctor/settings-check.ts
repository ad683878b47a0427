import { readFileSync } from 'node:fs';
import { parseCardSigningKeys } from '../../../agent-card/card-signing-keys.js';
import { readCardFile } from '../../../agent-card/card-file.js';
import { policySettings } from '../../../app.settings.js';
import type { Environment } from '../../../platform/config/environment.js';
import { parseAllowList } from '../../../security/egress/allow-list.js';
import { parseKeyRing } from '../../../security/secret/key-ring.js';
import type { Finding } from './finding.js';

/** Parses the structured variables as the service does at its start. */
export async function checkSettings(
  environment: Environment,
  offersExtendedCard: boolean,
): Promise<readonly Finding[]> {
  const { SECRET_KEYS, EGRESS_ALLOW, CARD_FILE, CARD_SIGNING_KEYS } = environment;
  const complaints = await Promise.all([
    complaint(() => SECRET_KEYS === undefined || parseKeyRing(SECRET_KEYS), {
      ...{
        name: 'SECRET_KEYS',
        fix: 'Write id:base64 of 32 bytes, separated by commas; "parley ops keys rotate" creates one',
      },
    }),
    complaint(() => parseAllowList(EGRESS_ALLOW ?? ''), {
      ...{ name: 'EGRESS_ALLOW', fix: 'Write host:port=CIDR, separated by ";": hooks.example:443=10.1.2.0/24' },
    }),
    complaint(() => CARD_FILE === undefined || readCard(CARD_FILE, environment, offersExtendedCard), {
      ...{
        name: 'CARD_FILE',
        fix: 'Correct the file: the service does not start if it contradicts the configuration',
      },
    }),
    complaint(() => policySettings(environment), {
      ...{ name: 'POLICY_FILE', fix: 'Correct the file: docs/security.md has its form' },
    }),
    complaint(() => CARD_SIGNING_KEYS === undefined || parseCardSigningKeys(CARD_SIGNING_KEYS), {
      ...{
        name: 'CARD_SIGNING_KEYS',
        fix: 'Write a JWK set of private P-256 keys; docs/callers.md has a command for it',
      },
    }),
  ]);
  return complaints.flat();
}

async function complaint(read: () => unknown, { name, fix }: { name: string; fix: string }): Promise<Finding[]> {
  try {
    await read();
    return [];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [{ check: 'configuration', severity: 'fail', text: `${name} cannot be used: ${reason}`, fix }];
  }
}

function readCard(path: string, { SECRET_KEYS, ROLE }: Environment, extendedAgentCard: boolean): void {
  const facts = { pushNotifications: SECRET_KEYS !== undefined || ROLE === 'all', extendedAgentCard };
  readCardFile(readFileSync(path, 'utf8'), { name: '', description: '', version: '' }, facts);
}
