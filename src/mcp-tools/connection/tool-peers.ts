import { hash } from 'node:crypto';
import { type AgentAuth, bearerCredential, fixedAuth, NO_AUTH } from '@parley/client/http/agent-auth.js';
import type { AgentHttp } from '@parley/client/http/agent-http.js';
import type { CredentialStore } from './credential.store.js';
import { HttpPeer } from '../client/http-peer.js';
import type { ClientInfo, Era, Peer } from '../client/peer.js';
import { StdioPeer } from '../client/stdio-peer.js';
import { ToolError } from '../client/tool-error.js';
import type { EraStore } from './era.store.js';
import { IssuerAuth } from './issuer-auth.js';
import type { HttpTransport, ToolServerSettings } from '../settings/server-file.js';
import { ToolProcess } from '../stdio/tool-process.js';

/** The dependencies of connections. */
export interface PeerSources {
  readonly http: AgentHttp;
  readonly client: ClientInfo;
  readonly eras: EraStore;
  /** Absent without keys: servers with a credential per tenant cannot be called then. */
  readonly credentials?: CredentialStore | undefined;
}

/** Opens connections to tool servers: with the credential of the operator's file, or that of one tenant. */
export class ToolPeers {
  constructor(private readonly sources: PeerSources) {}

  /** The name of the credential for calls of this tenant. */
  credentialOf({ transport }: ToolServerSettings, tenant: string): string {
    const isOwn = transport.type === 'http' && transport.auth.type === 'tenant';
    return isOwn ? hash('sha256', tenant, 'hex').slice(0, 16) : 'shared';
  }

  /** @throws ToolError */
  async open(server: ToolServerSettings, tenant: string): Promise<Peer> {
    const { transport, era, name } = server;
    const { client, eras } = this.sources;
    if (transport.type === 'stdio') {
      return new StdioPeer({ process: new ToolProcess(transport), era: era === 'modern' ? era : 'legacy', client });
    }
    const auth = await this.authOf(name, transport, tenant);
    const peer = (found: Era): HttpPeer =>
      new HttpPeer({ url: transport.url, http: this.sources.http, auth, era: found, client });
    if (era !== 'auto') return peer(era);
    return peer(await eras.find(name, this.credentialOf(server, tenant), () => peer('modern')));
  }

  private async authOf(server: string, { url, auth }: HttpTransport, tenant: string): Promise<AgentAuth> {
    switch (auth.type) {
      case 'none':
        return NO_AUTH;
      case 'bearer':
        return fixedAuth(bearerCredential(auth.token));
      case 'oauth2':
        return new IssuerAuth({ ...auth, resource: url }, this.sources.http);
      case 'tenant': {
        const token = await this.sources.credentials?.of(server, tenant);
        if (token === undefined) throw new ToolError('auth', 'There is no credential for the tenant of the caller');
        return fixedAuth(bearerCredential(token));
      }
    }
  }
}
