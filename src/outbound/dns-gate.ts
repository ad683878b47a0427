import type { EgressPolicy } from './egress-policy.js';
import { BlockedAddressError, EgressTimeoutError, EgressTransportError } from './egress.errors.js';
import type { Resolve } from './resolver.js';
import type { Target } from '@parley/client/address/target.js';

/** Resolvers for public names and for names on the allow-list. */
export interface NameResolution {
  readonly publicNames: Resolve;
  readonly listedNames: Resolve;
  readonly timeoutMs: number;
}

/** Resolves a target's name once and allows its addresses only if all of them are allowed. */
export class DnsGate {
  constructor(
    private readonly policy: EgressPolicy,
    private readonly names: NameResolution,
  ) {}

  /**
   * The addresses to connect to, IPv4 first (a pod without IPv6 would lose time on the others). Throws
   * `BlockedAddressError` when any answer is not allowed, `EgressTimeoutError` or `EgressTransportError` without
   * answers.
   */
  async addressesOf(target: Target): Promise<readonly string[]> {
    const judged = this.policy.judgeTarget(target);
    if (!judged.allowed) throw new BlockedAddressError(judged.reason);
    const answers = target.isLiteral ? [target.host] : await this.resolve(target);
    const addresses = answers.map((answer) => this.admit(target, answer));
    if (addresses.length === 0) throw new EgressTransportError('dns', { cause: undefined });
    return addresses.toSorted((a, b) => Number(a.includes(':')) - Number(b.includes(':')));
  }

  private admit(target: Target, answer: string): string {
    const judged = this.policy.judgeAddress(target, answer);
    if (!judged.allowed) throw new BlockedAddressError(judged.reason);
    return judged.value;
  }

  private async resolve(target: Target): Promise<readonly string[]> {
    const resolve = this.policy.isListedHost(target) ? this.names.listedNames : this.names.publicNames;
    const controller = new AbortController();
    const answers = resolve(target.host, controller.signal).catch((cause: unknown) => {
      throw controller.signal.aborted ? new EgressTimeoutError('dns') : new EgressTransportError('dns', { cause });
    });
    return withDeadline(answers, this.names.timeoutMs, controller);
  }
}

/** Aborts at the deadline, and gives the work one more turn to settle with what it has. */
async function withDeadline<T>(work: Promise<T>, milliseconds: number, controller: AbortController): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      controller.abort();
      setImmediate(reject, new EgressTimeoutError('dns'));
    }, milliseconds);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
