import { Inject, Injectable } from '@nestjs/common';
import { PushClock } from '../push.clock.js';
import { PushOptions } from '../push.options.js';
import { isSigningScheme, type PushRecord, type PushSecrets } from '../config/push-record.js';
import { SecretStore } from './secret.store.js';
import {
  derivedRing,
  leaveOwn,
  mergedRing,
  promote,
  type SecretRing,
  signingKeys,
  stage,
  takenOver,
} from './secret-ring.js';
import type { SigningKey } from './signature.js';

/** Derived keys are cached: deriving costs a tenth of a millisecond per attempt. */
const MAX_REMEMBERED = 10_000;

/** Finds the secrets that sign for a webhook: its own, else its client's, else those derived for the client. */
@Injectable()
export class SigningKeys {
  private readonly derived = new Map<string, SecretRing>();

  constructor(
    private readonly store: SecretStore,
    private readonly clock: PushClock,
    @Inject(PushOptions) private readonly options: PushOptions,
  ) {}

  /** The current key first; never shared between clients. */
  async keysOf(record: PushRecord, secrets: PushSecrets): Promise<readonly [SigningKey, ...SigningKey[]]> {
    const { credentials } = secrets;
    if (isSigningScheme(record.scheme) && credentials !== undefined) return [{ id: 'webhook', secret: credentials }];
    return signingKeys(await this.ringOf(record.tenant, record.client), this.clock.now());
  }

  /** The current secrets of a client. */
  async ringOf(tenant: string, client: string): Promise<SecretRing> {
    const [stored, derived] = [await this.store.read(tenant, client), this.derivedRing(tenant, client)];
    return stored === undefined ? derived : mergedRing(stored, derived);
  }

  /** Stages the next secret of a client; both sign from now on. */
  async stage(tenant: string, client: string, key: SigningKey): Promise<void> {
    const [isOwn, now] = [await this.hasOwn(tenant, client), this.clock.now()];
    const present = await this.ringOf(tenant, client);
    const ring = isOwn ? present : takenOver(present, now);
    await this.store.write(tenant, client, stage(ring, key, now));
  }

  /** Makes the staged secret the current one; the old one signs for another `keepMs` (default a day). */
  async promote(tenant: string, client: string, keepMs?: number): Promise<void> {
    await this.store.write(tenant, client, promote(await this.ringOf(tenant, client), this.clock.now(), keepMs));
  }

  /** Returns the client to its derived secret; its own ones sign for another day. */
  async derive(tenant: string, client: string): Promise<void> {
    if (!(await this.hasOwn(tenant, client))) return;
    const own = await this.ringOf(tenant, client);
    await this.store.write(tenant, client, leaveOwn(own, this.derivedRing(tenant, client), this.clock.now()));
  }

  private async hasOwn(tenant: string, client: string): Promise<boolean> {
    const stored = await this.store.read(tenant, client);
    return stored !== undefined && stored.isDerived !== true;
  }

  private derivedRing(tenant: string, client: string): SecretRing {
    const name = JSON.stringify([tenant, client]);
    const known = this.derived.get(name);
    if (known !== undefined) return known;
    if (this.derived.size >= MAX_REMEMBERED) this.derived.clear();
    const ring = derivedRing(this.options.masterKeys, tenant, client);
    this.derived.set(name, ring);
    return ring;
  }
}
