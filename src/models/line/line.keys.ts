/** Keys of the accounts at providers of models. */
export class LineKeys {
  constructor(private readonly prefix: string) {}

  /**
   * Of one account, in one slot. Hash: its breaker and rate, TTL 30 days. Sorted set: calls under way, TTL 1 h. Sorted sets: tickets by
   * their turn, and by the time until which they are kept; hash: the next turn of each tenant; TTL one day.
   */
  account(name: string) {
    const account = `${this.prefix}:model:{${name}}`;
    return {
      account,
      attempts: `${account}:now`,
      line: `${account}:line`,
      due: `${account}:due`,
      shares: `${account}:shares`,
    } as const;
  }

  /** Hash: micros of money by model, of a tenant at an account in a day. TTL two days. */
  spent(account: string, tenant: string, day: number): string {
    return `${this.prefix}:model:{${account}}:spent:${String(day)}:${tenant}`;
  }
}
