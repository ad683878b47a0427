/** Timeout of a waiting share, and waiting shares per client. */
const WAIT_MS = 5_000;
const MAX_WAITING = 8;
/** Shares up to this size have a reserve of a quarter, so that large ones of others do not block them. */
const SMALL = 64 * 1024;
const RESERVE = 1.25;
/** Time before an abortable share may be ended for waiting shares of other clients. */
const UNDISTURBED_MS = 10_000;
const PRESS_MS = 1_000;

export interface BudgetRules {
  /** Maximum of the whole process and of one client. A larger single share is admitted when it is the only one. */
  readonly process: number;
  readonly client: number;
}

/** A share of a budget in use. */
export interface Share {
  /** Takes more; false, without taking anything, when there is no room. */
  readonly grow: (amount: number) => boolean;
  /** Releases the share; repeated calls have no effect. */
  readonly free: () => void;
}

interface Waiting {
  readonly client: string;
  readonly amount: number;
  readonly begin: () => void;
}

interface Held {
  readonly client: string;
  readonly since: number;
  amount: number;
  readonly cut?: (() => void) | undefined;
}

/**
 * Limits the resources in use by the callers of this process, in sum and per client: bytes of bodies, of answers, of
 * deliveries, or turns. Taken before the first byte is read or fetched, and released at the end in every case.
 */
export class Budget {
  private readonly held = new Set<Held>();
  private readonly ofClients = new Map<string, number>();
  private waiting: readonly Waiting[] = [];
  private sum = 0;

  constructor(
    private readonly rules: BudgetRules,
    /** The refusal of a share. */
    readonly refusal: () => Error,
  ) {}

  /** The amount in use. */
  get taken(): number {
    return this.sum;
  }

  /** Takes a share at once; undefined when there is no room. */
  tryTake(client: string, amount: number, cut?: () => void): Share | undefined {
    if (!this.hasRoom(client, amount)) return undefined;
    const held: Held = { client, since: performance.now(), amount: 0, cut };
    this.held.add(held);
    this.add(held, amount);
    return {
      grow: (more) => {
        if (!this.held.has(held) || !this.hasRoom(client, more, held.amount)) return false;
        this.add(held, more);
        return true;
      },
      free: () => {
        if (this.held.delete(held)) this.add(held, -held.amount);
      },
    };
  }

  /**
   * Takes a share, waiting while there is no room.
   * @param cut ends the share's user when it is slow and others wait; it then releases the share
   * @throws the refusal when too many of the client's shares wait, or the wait times out
   */
  async take(client: string, amount: number, cut?: () => void): Promise<Share> {
    return this.tryTake(client, amount, cut) ?? this.turnOf(client, amount, cut);
  }

  private hasRoom(client: string, amount: number, own = 0): boolean {
    const scale = own + amount <= SMALL && this.rules.process > SMALL ? RESERVE : 1;
    const ofClient = this.ofClients.get(client) ?? 0;
    const fitsClient = ofClient + amount <= this.rules.client * scale || ofClient === own;
    return fitsClient && (this.sum + amount <= this.rules.process * scale || this.sum === own);
  }

  private add(held: Held, amount: number): void {
    const { client } = held;
    held.amount += amount;
    this.sum += amount;
    const ofClient = (this.ofClients.get(client) ?? 0) + amount;
    if (ofClient === 0) this.ofClients.delete(client);
    else this.ofClients.set(client, ofClient);
    if (amount < 0) this.passOn();
  }

  private passOn(): void {
    for (const one of this.waiting) if (this.hasRoom(one.client, one.amount)) one.begin();
  }

  private turnOf(client: string, amount: number, cut?: () => void): Promise<Share> {
    if (this.waiting.filter((one) => one.client === client).length >= MAX_WAITING) throw this.refusal();
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(late);
        clearInterval(press);
        this.waiting = this.waiting.filter((one) => one !== waiting);
      };
      const waiting: Waiting = {
        ...{ client, amount },
        begin: () => {
          const share = this.tryTake(client, amount, cut);
          if (share === undefined) return;
          leave();
          resolve(share);
        },
      };
      const late = setTimeout(() => {
        leave();
        reject(this.refusal());
      }, WAIT_MS);
      const press = setInterval(() => {
        this.cutOldest(client);
      }, PRESS_MS);
      this.waiting = [...this.waiting, waiting];
    });
  }

  /** Sets iterate in insertion order. */
  private cutOldest(client: string): void {
    const before = performance.now() - UNDISTURBED_MS;
    for (const held of this.held) {
      if (held.since > before) return;
      if (held.client === client || held.cut === undefined) continue;
      held.cut();
      return;
    }
  }
}
