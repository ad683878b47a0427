import { describe, expect, it } from '@jest/globals';
import { checkCard, checkCardHeaders } from './check-card.js';

const OAUTH = { schemes: { oauth: { list: ['read'] } } };
const CARD = {
  ...{ name: 'Finance', description: 'Counts.', version: '1.0.0', capabilities: {} },
  ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
  supportedInterfaces: [
    { url: 'https://agent.example/', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    { url: 'agent.example:443', protocolBinding: 'GRPC', protocolVersion: '1.0' },
  ],
  securitySchemes: { oauth: { oauth2SecurityScheme: {} } },
  securityRequirements: [OAUTH],
  skills: [{ id: 'sum', name: 'Sum', description: 'Adds.', tags: ['math'], securityRequirements: [OAUTH] }],
};
const [skill] = CARD.skills;
const [rpc] = CARD.supportedInterfaces;

/** `<severity> <rule> <field> <description>`; the rules are those of the card's publisher, which no test here guards. */
const found = (card: unknown): readonly string[] =>
  checkCard(card).map(
    ({ severity, rule, field, description }) =>
      `${severity} ${rule.slice(4).replace('-', ' ')} ${field} ${description}`,
  );
const signed = (header: object | string): object => ({
  ...CARD,
  signatures: [
    {
      protected: typeof header === 'string' ? header : Buffer.from(JSON.stringify(header)).toString('base64url'),
      signature: 's',
    },
  ],
});

describe(checkCard, () => {
  it.each([
    ['message:send', 'message:stream', 'message%3Asend', 'message/send', 'message/stream', 'message:send/'],
    ['v1/message', 'v1/message:send', 'v1/message:stream', 'v1/tasks', 'v1/card'],
    ['extendedAgentCard', '.well-known/agent-card.json', '.well-known/agent.json'],
  ])('finds the path of an operation in the address of an interface: /%s … (B14)', (...paths) => {
    const cardAt = (url: string): object => ({ ...CARD, supportedInterfaces: [{ ...rpc, url }] });
    const fault =
      'warning VER 02 supportedInterfaces[0].url ends with the path of an operation, which clients add to it';
    const texts = paths.map((path) => found(cardAt(`https://agent.example/${path}`)));
    expect(texts).toEqual(paths.map(() => [fault]));
    for (const path of ['', 'a2a', 'v1', 'message', 'messages:sender', 'agents/message-send'])
      expect(found(cardAt(`https://agent.example/${path}`))).toEqual([]);
  });

  it('finds nothing in a card that is as A2A 1.0 asks', () => {
    expect(found(CARD)).toEqual([]);
    const both = { type: 'http', scheme: 'bearer', flows: {}, httpAuthSecurityScheme: { scheme: 'bearer' } };
    expect(found({ ...CARD, securitySchemes: { ...CARD.securitySchemes, both } })).toEqual([]);
    expect(found(signed({ alg: 'ES256', kid: 'k', typ: 'JOSE', jku: 'https://agent.example/jwks' }))).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['no card', 'x', 'error CARD 01 card must be an object'],
    ['a missing member', { ...CARD, version: undefined }, 'error CARD 01 version is missing'],
    ['an empty text', { ...CARD, description: '' }, 'warning CARD 01 description is empty'],
    [
      'two skills of one id',
      { ...CARD, skills: [skill, skill] },
      'error CARD 01 skills[1].id is that of another skill',
    ],
    [
      'no interface',
      { ...CARD, supportedInterfaces: [] },
      'error VER 02 supportedInterfaces must be a list of at least one',
    ],
    [
      'a patch number',
      { ...CARD, supportedInterfaces: [{ ...rpc, protocolVersion: '1.0.0' }] },
      'warning VER 01 supportedInterfaces[0].protocolVersion has a patch number: major and minor are enough',
    ],
    [
      'plain HTTP',
      { ...CARD, supportedInterfaces: [{ ...rpc, url: 'http://agent.example/' }] },
      'warning AUTHN 01 supportedInterfaces[0].url is not encrypted: production must use TLS',
    ],
    [
      'an extension without a name',
      { ...CARD, capabilities: { extensions: [{}] } },
      'error EXT 01 capabilities.extensions[0].uri must be a string',
    ],
    [
      'a required extension',
      { ...CARD, capabilities: { extensions: [{ uri: 'urn:x', required: true }] } },
      'note EXT 03 capabilities.extensions[0] is required: calls that do not ask for it are refused',
    ],
    [
      'no scheme',
      { ...CARD, securitySchemes: {}, securityRequirements: [], skills: [] },
      'note AUTHN 02 securitySchemes are none: the agent asks no caller for a credential',
    ],
    [
      'a scheme that is not declared',
      { ...CARD, securityRequirements: [{ schemes: { toString: {} } }] },
      'error AUTHN 04 securityRequirements name the scheme toString, which is not declared',
    ],
    [
      'the same of a skill',
      { ...CARD, skills: [{ ...skill, securityRequirements: [{ schemes: { key: {} } }] }] },
      'error AUTHZ 03 skills[0].securityRequirements name the scheme key, which is not declared',
    ],
    ['no list of signatures', { ...CARD, signatures: {} }, 'error SIGN 03 signatures must be a list of objects'],
    [
      'a signature without its parts',
      { ...CARD, signatures: [{}] },
      'error SIGN 03 signatures[0] must have protected and signature',
    ],
    ['a header that is no JSON', signed('%%%'), 'error SIGN 03 signatures[0].protected must be JSON, in base64url'],
    [
      'a header without a key id',
      signed({ alg: 'ES256', typ: 'JOSE' }),
      'error SIGN 04 signatures[0].protected has no kid',
    ],
    [
      'a key set that is not encrypted',
      signed({ alg: 'ES256', kid: 'k', typ: 'JOSE', jku: 'http://agent.example' }),
      'warning SIGN 04 signatures[0].protected has a jku that is no https address',
    ],
  ])('names the rule and how much it weighs: %s', (_what, card, finding) => {
    expect(found(card)).toEqual([finding]);
  });

  it('reads a card of 0.3 as its 1.0 form', () => {
    const { supportedInterfaces: _of1, securityRequirements: _too, skills: _also, ...rest } = CARD;
    expect(found({ ...rest, protocolVersion: '0.3.0', url: 'https://agent.example', skills: [] })).toEqual([]);
  });
});

describe(checkCardHeaders, () => {
  it('asks for the headers that let readers cache a card', () => {
    expect(checkCardHeaders({ 'cache-control': 'public, max-age=300', etag: 'W/"x"' })).toEqual([]);
    expect(checkCardHeaders({ 'cache-control': 'no-store' }).map(({ field }) => field)).toEqual([
      'Cache-Control',
      'ETag',
    ]);
  });
});
