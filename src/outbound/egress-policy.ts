import type { AllowEntry } from './allow-list.js';
import { isInBlock, parseAddress, type IpAddress } from '@parley/client/address/ip-address.js';
import { isNeverAllowed, isPublic } from './is-public-address.js';
import { isReservedName } from './reserved-name.js';
import { parseTarget, type Target, type UrlFault } from '@parley/client/address/target.js';

/** The allowed targets of outgoing requests. */
export interface EgressRules {
  /** Public ports that may be called. */
  readonly ports: readonly number[];
  /** Whether plain http to public hosts is allowed; for development only. */
  readonly allowHttp: boolean;
  /** Receivers inside the network, each an exact exception. */
  readonly allow: readonly AllowEntry[];
}

/** The reason for refusing a request. For logs and operators; callers get one text for all of them. */
export type BlockReason = UrlFault | 'port' | 'reserved_name' | 'blocked_address';

export type Judgement<T> =
  { readonly allowed: true; readonly value: T } | { readonly allowed: false; readonly reason: BlockReason };

/**
 * Decides on the targets of outgoing requests. Checks a target by its URL and, once its name is resolved, by each
 * address. Allowed are the Internet (public addresses, usual ports) and the allow-list (exact host and port, address in
 * the entry's block). Pure: neither resolves nor connects.
 */
export class EgressPolicy {
  constructor(private readonly rules: EgressRules) {}

  /** Checks a URL in its original form. */
  judgeUrl(raw: string): Judgement<Target> {
    const target = parseTarget(raw);
    return typeof target === 'string' ? refused(target) : this.judgeTarget(target);
  }

  judgeTarget(target: Target): Judgement<Target> {
    if (this.entriesFor(target).length === 0) {
      const fault = this.internetFault(target);
      if (fault !== undefined) return refused(fault);
    }
    if (!target.isLiteral) return { allowed: true, value: target };
    const judged = this.judgeAddress(target, target.host);
    return judged.allowed ? { allowed: true, value: target } : judged;
  }

  /** Checks an address that the target's name resolved to; the value is its canonical text. */
  judgeAddress(target: Target, text: string): Judgement<string> {
    const address = parseAddress(text);
    if (address === undefined || isNeverAllowed(address)) return refused('blocked_address');
    const open = this.isOpenToInternet(target, address) || this.isListed(target, address);
    return open ? { allowed: true, value: address.toString() } : refused('blocked_address');
  }

  /** Whether the allow-list has this host and port, so that the network's own names for it count. */
  isListedHost(target: Target): boolean {
    return this.entriesFor(target).length > 0;
  }

  private isOpenToInternet(target: Target, address: IpAddress): boolean {
    return this.internetFault(target) === undefined && isPublic(address);
  }

  private isListed(target: Target, address: IpAddress): boolean {
    return this.entriesFor(target).some((entry) => isInBlock(address, entry.block));
  }

  private internetFault({ protocol, port, host, isLiteral }: Target): BlockReason | undefined {
    if (protocol === 'http:' && !this.rules.allowHttp) return 'scheme';
    if (!this.rules.ports.includes(port)) return 'port';
    return !isLiteral && isReservedName(host) ? 'reserved_name' : undefined;
  }

  private entriesFor({ protocol, host, port }: Target): readonly AllowEntry[] {
    return this.rules.allow.filter(
      (entry) => entry.host === host && entry.port === port && (protocol === 'https:' || entry.plainHttp),
    );
  }
}

function refused(reason: BlockReason): { readonly allowed: false; readonly reason: BlockReason } {
  return { allowed: false, reason };
}
