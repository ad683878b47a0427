import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import type { DnsGate } from './dns-gate.js';
import { BlockedAddressError } from './egress.errors.js';
import { canonicalAddress } from '@parley/client/address/ip-address.js';
import { targetOf, type Target } from '@parley/client/address/target.js';
import { egressErrorOf } from './transport-fault.js';

type DialOptions = buildConnector.Options;

/** Two attempts cover a dead replica or a broken address family without doubling the cost of a slow target. */
const MAX_ADDRESSES_TRIED = 2;

/** A certificate and its private key, PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface ConnectorOptions {
  /** For TCP and TLS together, per address. */
  readonly timeoutMs: number;
  /** Additional certificate authorities to trust, PEM; default: those of Node. */
  readonly ca?: string;
  /** Shown to servers that ask for one. */
  readonly certificate?: ClientCertificate;
}

/**
 * An undici connector that checks its target: resolves once, connects only to addresses that passed (so no second
 * look-up can be rebound), still verifies the name by TLS, and finally compares the peer's address. Literal addresses
 * are checked too; undici would not call a `lookup` hook for them.
 */
export function guardedConnector(gate: DnsGate, options: ConnectorOptions): buildConnector.connector {
  const dial = buildConnector({
    timeout: options.timeoutMs,
    allowH2: false,
    // Explicit, because an environment variable turns Node's own default off.
    rejectUnauthorized: true,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
    ...options.certificate,
  });
  return (dialOptions, callback) => {
    connectChecked(gate, dial, dialOptions).then(
      (socket) => {
        callback(null, socket);
      },
      (error: unknown) => {
        callback(egressErrorOf(error, false), null);
      },
    );
  };
}

async function connectChecked(gate: DnsGate, dial: buildConnector.connector, options: DialOptions): Promise<Socket> {
  const target = targetOfDial(options);
  const addresses = (await gate.addressesOf(target)).slice(0, MAX_ADDRESSES_TRIED);
  let failure: unknown;
  for (const address of addresses) {
    try {
      return await dialAddress(dial, { ...options, ...serverNameOf(target) }, address);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function targetOfDial({ protocol, hostname, port }: DialOptions): Target {
  if (protocol !== 'https:' && protocol !== 'http:') throw new BlockedAddressError('scheme');
  const host = hostname.includes(':') ? `[${hostname}]` : hostname;
  const target = targetOf(protocol, host, port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port));
  if (target === undefined) throw new BlockedAddressError('host_form');
  return target;
}

function serverNameOf(target: Target): { servername?: string } {
  return target.isLiteral ? {} : { servername: target.host };
}

function dialAddress(dial: buildConnector.connector, options: DialOptions, address: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    dial({ ...options, hostname: address }, (error, socket) => {
      if (error !== null) {
        reject(error);
      } else if (canonicalAddress(socket.remoteAddress ?? '') === address) {
        resolve(socket);
      } else {
        socket.destroy();
        reject(new BlockedAddressError('blocked_address'));
      }
    });
  });
}
