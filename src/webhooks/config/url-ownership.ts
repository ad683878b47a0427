import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { GuardedClient } from '../../outbound/guarded-client.js';
import { isEgressError } from '../../outbound/transport-fault.js';

/**
 * Checks that an address expects webhooks (A2A-PN-11): calls it with a random `validationToken`, which it must return.
 * Prevents callers from registering addresses that they do not control.
 */
@Injectable()
export class UrlOwnership {
  constructor(private readonly client: GuardedClient) {}

  async isProven(url: string): Promise<boolean> {
    const token = randomBytes(24).toString('base64url');
    const challenge = new URL(url);
    challenge.searchParams.set('validationToken', token);
    try {
      const { status, body } = await this.client.request({ method: 'GET', url: challenge.href, maxBytes: 1024 });
      return status === 200 && body.toString().trim() === token;
    } catch (error) {
      if (isEgressError(error)) return false;
      throw error;
    }
  }
}
