/** Tokens that a call of a language model reserves of the budgets of its task's tree and tenant. */
interface WantedUse {
  /** The name of the call's step. */
  readonly id: string;
  readonly most: number;
  readonly least: number;
  /** Money for a token, at most: millionths. */
  readonly micros: number;
}

/** Result of a reservation: tokens, to be settled with the actual usage; or the limit that refuses it. */
export type GrantedUse =
  | {
      readonly kind: 'reserved';
      readonly tokens: number;
      /** The part of its daily budget that the tenant had used before, from 0 to 1; absent where it has none. */
      readonly ofTenant?: number;
      readonly settle: (used: {
        readonly input: number;
        readonly output: number;
        /** Tokens of the input that came from a cache: they cost money, and no tokens. */
        readonly cached?: number;
        readonly micros: number;
      }) => Promise<void>;
    }
  | {
      readonly kind: 'spent';
      readonly limit: 'tokens' | 'money' | 'calls' | 'tenant-tokens' | 'tenant-money';
      readonly most: number;
    };

export type Reserve = (wanted: WantedUse) => Promise<GrantedUse>;
