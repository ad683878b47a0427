import { readAddresses } from '../../../platform/address/listed-address.js';
import { readFileSync } from 'node:fs';
import { parseCardSigningKeys } from '../../../agents/card/card-signing-keys.js';
import { readCardFile } from '../../../agents/card/card-file.js';
import { policySettings } from '../../../main/app.settings.js';
import type { Environment } from '../../../main/app.environment.js';
import { isLoopbackHost } from '../../../auth/incoming/loopback.js';
import { parseAllowList } from '../../../outbound/allow-list.js';
import { parseKeyRing } from '../../../secrets/key-ring.js';
import type { Finding } from '../../../main/finding.js';

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
        fix: 'Write a JWK set of private P-256 keys; docs/callers/agent-card.md has a command for it',
      },
    }),
  ]);
  return [...complaints.flat(), ...proxyFindings(environment, offersExtendedCard)];
}

/** A service on loopback with a public address is behind a proxy, which brings remote callers. */
function proxyFindings(environment: Environment, knowsCallers: boolean): readonly Finding[] {
  const { HOST, METRICS_PORT, INGRESS_NETWORKS } = environment;
  const url = readAddresses(environment.PUBLIC_URL)[0]?.url;
  if (url === undefined || !isLoopbackHost(HOST) || isLoopbackHost(new URL(url).hostname)) return [];
  const warning = (text: string, fix: string): Finding => ({ check: 'configuration', severity: 'warn', text, fix });
  const open = INGRESS_NETWORKS === undefined ? 'refuses what comes with forwarding headers' : 'gives them all rights';
  const callers = `Callers of ${url} are not known: the open start ${open}`;
  return [
    ...(knowsCallers ? [] : [warning(callers, 'Set JWT_ISSUER or API_KEYS: docs/security.md')]),
    ...(METRICS_PORT === undefined
      ? [
          warning(
            '/metrics is on PORT, and a proxy without forwarding headers shows it to everybody',
            'Set METRICS_PORT, or leave /metrics out of the proxy',
          ),
        ]
      : []),
  ];
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
