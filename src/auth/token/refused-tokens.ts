import { Logger } from '@nestjs/common';
import { CalmLog } from '../../platform/logging/calm-log.js';
import { parseCompactToken } from './compact-token.js';
import { REFUSAL_SETTINGS, type TokenRefusal } from './token-refusal.js';

const MAX_TEXT = 200;
const MAX_AUDIENCES = 5;

/**
 * Logs the reasons for refused tokens, one line a minute per reason: callers do not get them, and an operator must find
 * the wrong setting.
 */
export class RefusedTokens {
  private readonly logs = new Map<TokenRefusal, CalmLog>();

  constructor(private readonly log: Pick<Logger, 'warn'> = new Logger('Tokens')) {}

  note(refusal: TokenRefusal, token: string): void {
    const log = this.logs.get(refusal) ?? new CalmLog(this.log, 'token.refused');
    this.logs.set(refusal, log);
    const { iss, aud } = parseCompactToken(token)?.claims ?? {};
    const audiences = (Array.isArray(aud) ? (aud as unknown[]) : [aud]).slice(0, MAX_AUDIENCES);
    const setting = REFUSAL_SETTINGS[refusal];
    log.warn({
      reason: refusal,
      ...(typeof iss === 'string' && { iss: shown(iss) }),
      ...(aud !== undefined && { aud: audiences.flatMap((one) => (typeof one === 'string' ? [shown(one)] : [])) }),
      ...(setting !== undefined && { setting }),
    });
  }
}

/** The token is unverified: its texts may be anything, and are logged as one line of ASCII. */
function shown(text: string): string {
  return text
    .slice(0, MAX_TEXT)
    .replace(/[^\x20-\x7e]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
