import { Inject, Injectable } from '@nestjs/common';
import { GuardedClient } from '../../outbound/guarded-client.js';
import { WebhookBins } from '../bin/webhook-bins.js';
import { PushOptions } from '../push.options.js';
import { UrlOwnership } from './url-ownership.js';

/** Decides which addresses may become receivers of webhooks. */
@Injectable()
export class Receivers {
  constructor(
    private readonly client: GuardedClient,
    private readonly ownership: UrlOwnership,
    private readonly bins: WebhookBins,
    @Inject(PushOptions) private readonly options: PushOptions,
  ) {}

  /** @param owner owner of the task, whose bin is accepted too; absent for webhooks of no task */
  async isWelcome(url: string, { tenant, owner }: { readonly tenant: string; readonly owner?: string | undefined }) {
    if (this.bins.isBinUrl(url)) return owner !== undefined && this.bins.isOpen({ tenant, owner }, url);
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
