import { type AgentAuth, bearerCredential, type Credential } from '../http/agent-auth.js';
import type { Token } from './token-request.js';

/** A refused token is renewed at most so often: a wrong configuration must not flood the issuer. */
const RENEW_PAUSE_MS = 5000;

/** A token that is renewed before it ends, with one request however many calls wait. */
export class TokenAuth implements AgentAuth {
  private token: Token | undefined;
  private asking: Promise<Token> | undefined;
  private renewedAt = 0;

  constructor(
    private readonly request: () => Promise<Token>,
    private readonly now: () => number = Date.now,
  ) {}

  async credential(): Promise<Credential> {
    if (this.token === undefined || this.token.renewAt <= this.now()) this.token = await this.ask();
    return bearerCredential(this.token.value);
  }

  renew(refused?: Credential): boolean {
    // Another call has let the refused one go.
    if (refused !== undefined && this.isOther(refused)) return true;
    const now = this.now();
    if (now - this.renewedAt < RENEW_PAUSE_MS) return false;
    this.renewedAt = now;
    this.token = undefined;
    return true;
  }

  private isOther({ headers }: Credential): boolean {
    return (
      this.token === undefined || bearerCredential(this.token.value).headers?.authorization !== headers?.authorization
    );
  }

  private ask(): Promise<Token> {
    this.asking ??= this.request().finally(() => {
      this.asking = undefined;
    });
    return this.asking;
  }
}
