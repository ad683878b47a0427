import { Inject, Injectable } from '@nestjs/common';
import { GuardedClient } from '../../outbound/guarded-client.js';
import { PushOptions } from '../push.options.js';
import { LocalReceivers } from '../local-receivers.js';
import { UrlOwnership } from './url-ownership.js';

/** Decides which addresses may become receivers of webhooks. */
@Injectable()
export class Receivers {
  constructor(
    private readonly client: GuardedClient,
    private readonly ownership: UrlOwnership,
    private readonly local: LocalReceivers,
    @Inject(PushOptions) private readonly options: PushOptions,
  ) {}

  /** @param owner owner of the task, for receivers inside the service; absent for webhooks of no task */
  async isWelcome(url: string, { tenant, owner }: { readonly tenant: string; readonly owner?: string | undefined }) {
    const local = this.local.of(url);
    if (local !== undefined) return owner !== undefined && local.isOpen({ tenant, owner }, url);
    if (!(await this.client.judge(url)).allowed) return false;
    return !this.options.provesOwnership || this.ownership.isProven(url);
  }

  /** The public reason for a refused address: identical for every cause (A2A-PCFG-11). */
  get refusal(): string {
    const refused =
      'is not an address that this agent may call: https, a public address, a port and host that its operator allows (EGRESS_ALLOW)';
    return this.options.provesOwnership ? `${refused}, or did not give the validationToken back` : refused;
  }
}
