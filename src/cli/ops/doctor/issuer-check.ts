import type { AuthOptions } from '../../../auth/auth-options.js';
import { authOptionsOf, type CallerSettings } from '../../../auth/auth.settings.js';
import { GuardedHttpGet } from '../../../auth/token/guarded.http-get.js';
import type { IssuerOptions } from '../../../auth/token/issuer-options.js';
import { JwksSource } from '../../../auth/token/jwks.source.js';
import { faultText } from './fault-text.js';
import { type Finding, fine } from '../../../main/finding.js';

/** Checks that callers' tokens can be verified: the settings are consistent, and each issuer serves its keys. */
export async function checkIssuers(settings: CallerSettings, publicUrl: string): Promise<readonly Finding[]> {
  let auth: AuthOptions;
  try {
    auth = authOptionsOf(settings, publicUrl);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return [{ check: 'callers', severity: 'fail', text, fix: 'Correct the named setting' }];
  }
  if (auth.mode === 'open') {
    const text = 'No authentication: every program on this machine can call';
    return [
      { check: 'callers', severity: 'warn', text, fix: 'Set JWT_ISSUER or API_KEYS before other machines may call' },
    ];
  }
  if (auth.issuers.length === 0) return [fine('callers', 'Callers authenticate with API keys')];
  return Promise.all(auth.issuers.map(checkIssuer));
}

async function checkIssuer(options: IssuerOptions): Promise<Finding> {
  try {
    const keys = await new JwksSource(options, new GuardedHttpGet([options])).load();
    if (keys.size > 0) return fine('callers', `${options.issuer} serves its keys`);
    const text = `${options.issuer} serves no usable key: every token is rejected`;
    const fix = 'Publish a signing key there (RSA of 2048 bits or more, or EC), or correct JWKS_URI';
    return { check: 'callers', severity: 'fail', text, fix };
  } catch (error) {
    const reason = faultText(error);
    const text = `Cannot fetch the keys of ${options.issuer}: ${reason}`;
    return { check: 'callers', severity: 'fail', text, fix: 'Correct JWT_ISSUER or JWKS_URI, or allow egress to it' };
  }
}
