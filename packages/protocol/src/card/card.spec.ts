import { describe, expect, it } from '@jest/globals';
import type { AgentCard } from '../model/agent-card.js';
import { cardToV03 } from './card-v0-3.js';
import { hybridCard } from './hybrid-card.js';

const card: AgentCard = {
  name: 'Parley',
  description: 'Answers.',
  version: '1.2.3',
  supportedInterfaces: [
    { url: 'https://a.example/', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    { url: 'https://a.example/', protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    { url: 'https://a.example/', protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' },
    { url: 'https://a.example/', protocolBinding: 'JSONRPC', protocolVersion: '0.1' },
  ],
  provider: { url: 'https://example.com', organization: 'Example' },
  capabilities: { streaming: true, extendedAgentCard: true, extensions: [{ uri: 'https://example.com/ext' }] },
  securitySchemes: {
    jwt: { httpAuthSecurityScheme: { scheme: 'Bearer', bearerFormat: 'JWT' } },
    key: { apiKeySecurityScheme: { location: 'header', name: 'x-key', description: 'a key' } },
    oauth: {
      oauth2SecurityScheme: {
        flows: { clientCredentials: { tokenUrl: 'https://t.example', scopes: { read: 'Read' } } },
      },
    },
    oidc: { openIdConnectSecurityScheme: { openIdConnectUrl: 'https://o.example' } },
    cert: { mtlsSecurityScheme: {} },
  },
  securityRequirements: [
    { schemes: { jwt: { list: [] } } },
    { schemes: { oauth: { list: ['read'] }, key: { list: [] } } },
  ],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [
    {
      id: 'echo',
      name: 'Echo',
      description: 'Repeats.',
      tags: ['text'],
      securityRequirements: [{ schemes: { jwt: { list: ['x'] } } }],
    },
  ],
  signatures: [{ protected: 'p', signature: 's' }],
};
const json = (value: unknown) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>;

describe(cardToV03.name, () => {
  it('V02-09, V02-12: maps every member', () => {
    expect(json(cardToV03(card))).toEqual({
      protocolVersion: '0.3.0',
      name: 'Parley',
      description: 'Answers.',
      url: 'https://a.example/',
      preferredTransport: 'JSONRPC',
      additionalInterfaces: [{ url: 'https://a.example/', transport: 'HTTP+JSON' }],
      provider: { url: 'https://example.com', organization: 'Example' },
      version: '1.2.3',
      capabilities: {
        streaming: true,
        pushNotifications: false,
        stateTransitionHistory: true,
        extensions: [{ uri: 'https://example.com/ext' }],
      },
      securitySchemes: {
        jwt: { type: 'http', scheme: 'Bearer', bearerFormat: 'JWT' },
        key: { type: 'apiKey', in: 'header', name: 'x-key', description: 'a key' },
        oauth: {
          type: 'oauth2',
          flows: { clientCredentials: { tokenUrl: 'https://t.example', scopes: { read: 'Read' } } },
        },
        oidc: { type: 'openIdConnect', openIdConnectUrl: 'https://o.example' },
        cert: { type: 'mutualTLS' },
      },
      security: [{ jwt: [] }, { oauth: ['read'], key: [] }],
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: [{ id: 'echo', name: 'Echo', description: 'Repeats.', tags: ['text'], security: [{ jwt: ['x'] }] }],
      supportsAuthenticatedExtendedCard: true,
    });
  });

  it('TRAP-69: gives an address even where no 0.3 interface is declared', () => {
    const [only] = card.supportedInterfaces;
    const older = cardToV03({ ...card, supportedInterfaces: only === undefined ? [] : [only] });
    expect(older).toMatchObject({ url: 'https://a.example/', preferredTransport: 'JSONRPC', additionalInterfaces: [] });
  });
});

describe(hybridCard.name, () => {
  const hybrid = json(hybridCard(card));

  it('A2A-SIGN-06: keeps every member of the 1.0 card as it is', () => {
    expect(hybrid).toMatchObject(json(card));
  });

  it('A2A-SIGN-02: adds no member of 1.0 that the card leaves out', () => {
    expect(Object.keys(hybrid.capabilities as object)).not.toContain('pushNotifications');
    const ofV1 = new Set([...Object.keys(card), 'documentationUrl', 'iconUrl']);
    const added = Object.keys(hybrid).filter((name) => !Object.hasOwn(card, name));
    expect(added.filter((name) => ofV1.has(name))).toEqual([]);
  });

  it('5.6: has every member that 0.3 needs', () => {
    const { securitySchemes: _schemes, capabilities: _capabilities, skills: _skills, ...older } = cardToV03(card);
    expect(hybrid).toMatchObject(json(older));
    expect(hybrid).toMatchObject({
      securitySchemes: { jwt: { type: 'http', scheme: 'Bearer', httpAuthSecurityScheme: { scheme: 'Bearer' } } },
      capabilities: { streaming: true, stateTransitionHistory: true, extendedAgentCard: true },
      skills: [{ security: [{ jwt: ['x'] }], securityRequirements: [{ schemes: { jwt: { list: ['x'] } } }] }],
    });
  });

  it('6.4: names the schemes for 0.1', () => {
    expect(hybrid.authentication).toEqual({ schemes: ['bearer', 'apiKey', 'mutualTLS'] });
  });

  it('says nothing of authentication where there is none', () => {
    const { securitySchemes: _none, securityRequirements: _nor, ...open } = card;
    expect(Object.keys(json(hybridCard(open)))).not.toContain('authentication');
    expect(Object.keys(json(hybridCard(open)))).not.toContain('securitySchemes');
  });
});
