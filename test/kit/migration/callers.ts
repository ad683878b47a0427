import { apiKeyEntry } from '../auth/api-key-entry.js';

/** The callers whose tasks are in the fixture, by their names there. */
export const CALLERS = {
  alice: { key: 'k1.alice-of-the-fixture', tenant: 'acme', client: 'alice' },
  bob: { key: 'k2.bob-of-the-fixture', tenant: 'acme', client: 'bob' },
  carol: { key: 'k3.carol-of-the-fixture', tenant: 'umbrella', client: 'carol' },
} as const;

export type Caller = keyof typeof CALLERS;

/** The addresses of the webhooks in the fixture: one answered while it was made, the other one never. */
export const RECEIVER_PORT = 47_614;
export const SILENT_PORT = 47_613;

const SCOPES = [
  ...['a2a:message.send', 'a2a:tasks.read', 'a2a:tasks.cancel', 'a2a:push.write', 'a2a:push.read'],
  'a2a:webhooks.operate',
];

/** Variables of a service that knows these callers and can decrypt what they have stored. */
export const FIXTURE_VARIABLES: Readonly<Record<string, string>> = {
  API_KEYS: Object.values(CALLERS)
    .map(({ key, tenant, client }) => apiKeyEntry(key, { tenant, client, scopes: SCOPES.join(',') }))
    .join(';'),
  // Of these tests only: 32 bytes that are all alike.
  SECRET_KEYS: `fixture:${Buffer.alloc(32, 7).toString('base64')}`,
  EGRESS_ALLOW: [RECEIVER_PORT, SILENT_PORT].map((port) => `127.0.0.1:${port}=127.0.0.1/32!http`).join(';'),
};
