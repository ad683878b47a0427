import { describe, expect, it } from '@jest/globals';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import { Json } from '@parley/protocol/model/json.js';
import { GRPC_DIALECTS } from './grpc-dialects.js';
import { bytesOf, jsonOf } from './schema/schema.js';

const requirement = { schemes: { oauth: { list: ['read'] }, key: { list: ['own'] } } };
const skill = { id: 'echo', name: 'Echo', description: 'Repeats.', tags: ['text'] };
const flows = { clientCredentials: { tokenUrl: 'https://t.example', scopes: { read: 'Read' } } };
const card: AgentCard = {
  ...{ name: 'Parley', description: 'Answers.', version: '1.2.3' },
  supportedInterfaces: [{ url: 'a.example:443', protocolBinding: 'GRPC', protocolVersion: '0.3' }],
  capabilities: { streaming: true, extendedAgentCard: true },
  securitySchemes: {
    jwt: { httpAuthSecurityScheme: { scheme: 'Bearer', bearerFormat: 'JWT' } },
    key: { apiKeySecurityScheme: { location: 'header', name: 'x-key' } },
    oauth: { oauth2SecurityScheme: { flows } },
    oidc: { openIdConnectSecurityScheme: { openIdConnectUrl: 'https://o.example' } },
    cert: { mtlsSecurityScheme: { description: 'A certificate' } },
  },
  securityRequirements: [requirement],
  ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
  skills: [{ ...skill, securityRequirements: [requirement] }],
};

describe('the extended card over gRPC', () => {
  it.each(GRPC_DIALECTS)('of $version has its security schemes and what is required (C7)', (dialect) => {
    const [method] = Object.entries(dialect.operations).find(([, name]) => name === 'GetExtendedAgentCard') ?? [];
    const { output } = dialect.service.methods.find(({ name }) => name === method) ?? {};
    if (output === undefined) throw new Error('The service has no method for the card');
    const sent = jsonOf(output, bytesOf(output, dialect.encode('GetExtendedAgentCard', Json.of(card))));
    const security = dialect.version === '0.3' ? 'security' : 'securityRequirements';
    expect(sent).toMatchObject({
      securitySchemes: card.securitySchemes,
      [security]: [requirement],
      skills: [{ ...skill, [security]: [requirement] }],
    });
  });
});
