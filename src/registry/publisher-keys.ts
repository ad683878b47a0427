import { Injectable } from '@nestjs/common';
import { importJWK, type JWK } from 'jose';
import type { Principal } from '../auth/principal.js';
import { noteOf, type Outcome } from './registrations.js';
import { RegistryStore } from './store/registry.store.js';

/** Bytes of the keys of one publisher. */
const MAX_BYTES = 16 * 1024;
/** Private members of a JWK. */
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
const MAX_TRIES = 10;

/** The public keys that may sign the cards of a publisher. Keys named in a card are never trusted. */
@Injectable()
export class PublisherKeys {
  constructor(private readonly store: RegistryStore) {}

  /** Replaces the keys of a publisher. */
  async pin(caller: Principal, publisher: string, keys: readonly unknown[]): Promise<Outcome> {
    const wrong = await faultOf(keys);
    if (wrong !== undefined) return { kind: 'refused', why: wrong };
    return this.write(caller, publisher, keys as readonly JWK[]);
  }

  async remove(caller: Principal, publisher: string): Promise<Outcome> {
    if ((await this.store.keysOf(caller.tenant, publisher)) === undefined) return { kind: 'missing' };
    return this.write(caller, publisher, undefined);
  }

  private async write(caller: Principal, publisher: string, keys: readonly JWK[] | undefined): Promise<Outcome> {
    const note = noteOf(caller, keys === undefined ? 'key-removed' : 'key-pinned', publisher);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const set = keys === undefined ? undefined : { keys: [...keys] };
      const written = await this.store.pin(caller.tenant, publisher, set, note);
      if (written === 'done') return { kind: 'done' };
      if (written === 'publishers') return { kind: 'full', why: 'The tenant has pinned keys of too many publishers' };
    }
    return { kind: 'conflict', why: 'The registry was changed by others all the time' };
  }
}

async function faultOf(keys: readonly unknown[]): Promise<string | undefined> {
  if (JSON.stringify(keys).length > MAX_BYTES) return `keys have more than ${String(MAX_BYTES)} bytes`;
  for (const [at, key] of keys.entries()) {
    const place = `keys[${String(at)}]`;
    if (typeof key !== 'object' || key === null || Array.isArray(key)) return `${place} is no JSON Web Key`;
    const secret = PRIVATE.find((member) => member in key);
    if (secret !== undefined) return `${place} has ${secret}, which belongs to private keys: pin public keys only`;
    try {
      await importJWK(key as JWK, (key as JWK).alg ?? 'ES256');
    } catch (error) {
      return `${place} is no public key: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
  return undefined;
}
