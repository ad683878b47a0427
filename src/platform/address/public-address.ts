import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { AddressInfo } from 'node:net';

/** The listen address of this process as a URL for callers on the same machine. */
@Injectable()
export class PublicAddress {
  constructor(private readonly host: HttpAdapterHost) {}

  /** Without a path. Throws before the service listens. */
  url(): string {
    const server = this.host.httpAdapter.getHttpServer() as { address(): AddressInfo | null };
    const address = server.address();
    if (address === null) throw new Error('The service does not listen yet');
    return urlOf(address);
  }
}

export function urlOf({ address, port }: Pick<AddressInfo, 'address' | 'port'>): string {
  const everywhere = address === '0.0.0.0' || address === '::';
  const host = everywhere ? 'localhost' : address.includes(':') ? `[${address}]` : address;
  return `http://${host}:${String(port)}`;
}
