import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A call of a webhook as the service signs it, with both signatures. */
export const SECRET = `whsec_${Buffer.from('0123456789abcdef01234567').toString('base64')}`;
export const BODY = '{"statusUpdate":{"taskId":"t1"}}';

export function signedHeaders(): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`m1.${timestamp}.${BODY}`).digest('base64');
  return {
    ...{ 'webhook-id': 'm1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` },
    'x-agent-signature': createHmac('sha256', SECRET).update(BODY).digest('hex'),
  };
}

/** The code of docs/webhooks.md in a language. */
export function webhookCode(language: string): readonly string[] {
  const page = readFileSync('docs/webhooks.md', 'utf8');
  return [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, name, code = '']) =>
    name === language ? [code] : [],
  );
}
