import { create, createFileRegistry, fromBinary, getExtension, type Message, toJson } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema, MethodOptionsSchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from '@jest/globals';
import { bytesOf, descriptorFiles, jsonOf, SERVICE_V03, SERVICE_V1, STATUS } from './schema.js';

function roundTrip(service: typeof SERVICE_V1, method: string, json: object): unknown {
  const found = service.methods.find(({ name }) => name === method);
  if (found === undefined) throw new Error(method);
  return jsonOf(found.output, bytesOf(found.output, JSON.parse(JSON.stringify(json))));
}

describe('the protobuf schemas', () => {
  it('name the services of 1.0 and 0.3 (A2A-GRPC-01, A2A-GRPC-06, DISP-05)', () => {
    expect(SERVICE_V1.typeName).toBe('lf.a2a.v1.A2AService');
    expect(SERVICE_V03.typeName).toBe('a2a.v1.A2AService');
    expect(SERVICE_V1.methods).toHaveLength(11);
    expect(descriptorFiles()).toHaveLength(10);
  });

  it('carry every kind of part, null and explicit zero (TRAP-53, A2A-JSON-07)', () => {
    const parts = [
      { text: 'é' },
      { raw: 'AAH/', filename: 'a.bin', mediaType: 'application/octet-stream' },
      { url: 'https://example.com/' },
      { data: null },
      { data: { a: [1, null, { b: 0.5 }] } },
      { text: '' },
    ];
    const task = {
      id: 't',
      contextId: 'c',
      status: { state: 'TASK_STATE_COMPLETED', timestamp: '2026-01-02T03:04:05.006Z' },
      artifacts: [{ artifactId: 'a', parts, metadata: { n: null } }],
    };
    expect(roundTrip(SERVICE_V1, 'GetTask', task)).toEqual(task);
  });

  it.each<[string, object, object]>([
    ['[[]]', { parts: [[]] }, {}],
    ['[[{text}]]', { parts: [[{ text: 'x' }]] }, {}],
    ['nulls and primitives', { parts: [null, 5, 'x', true, { text: 'good' }] }, { parts: [{ text: 'good' }] }],
    ['a member of another kind', { parts: [{ text: 5, filename: 'f' }] }, { parts: [{ filename: 'f' }] }],
    ['bytes that are none', { parts: [{ raw: '?', mediaType: 'a/b' }] }, { parts: [{ mediaType: 'a/b' }] }],
    ['two contents', { parts: [{ text: 'x', data: {} }] }, { parts: [{ text: 'x' }] }],
    ['metadata that is a list', { parts: [{ text: 'x', metadata: [[]] }] }, { parts: [{ text: 'x', metadata: {} }] }],
    ['parts that are no list', { parts: { text: 'x' } }, {}],
    ['another role', { role: [], parts: [{ text: 'x' }] }, { parts: [{ text: 'x' }] }],
  ])('leave out of a stored message what has no room in it, and keep the rest: %s (B3)', (_what, stored, kept) => {
    const task = { id: 't', history: [null, [], { messageId: 'm', ...stored }, 5] };
    expect(roundTrip(SERVICE_V1, 'GetTask', task)).toEqual({ id: 't', history: [{ messageId: 'm', ...kept }] });
  });

  it('keep explicitly present members (A2A-SIGN-02)', () => {
    const capabilities = { streaming: true, pushNotifications: false };
    expect(roundTrip(SERVICE_V1, 'GetExtendedAgentCard', { name: 'n', capabilities })).toEqual({
      name: 'n',
      capabilities,
    });
  });

  it('name four fields of 0.3 differently in JSON', () => {
    const message = { messageId: 'm', role: 'ROLE_AGENT', content: [{ data: { data: { a: 1 } } }] };
    expect(roundTrip(SERVICE_V03, 'SendMessage', { message })).toEqual({ message });
    const task = { id: 't', status: { state: 'TASK_STATE_CANCELLED', message } };
    expect(roundTrip(SERVICE_V03, 'SendStreamingMessage', { task })).toEqual({ task });
  });

  it('keep names of files and metadata of parts in 0.3 (F9)', () => {
    const content = [
      { file: { fileWithBytes: 'AAH/', mimeType: 'application/octet-stream', name: 'n.bin' }, metadata: { a: 1 } },
      { text: 'x', metadata: { mediaType: 'text/markdown' } },
    ];
    const message = { messageId: 'm', role: 'ROLE_AGENT', content };
    expect(roundTrip(SERVICE_V03, 'SendMessage', { message })).toEqual({ message });
  });

  it.each([
    [
      '1.0',
      SERVICE_V1,
      'GetExtendedAgentCard',
      ['authorizationCode', 'clientCredentials', 'implicit', 'password', 'deviceCode'],
    ],
    ['0.3', SERVICE_V03, 'GetAgentCard', ['authorizationCode', 'clientCredentials', 'implicit', 'password']],
  ])(
    'have every kind of flow of OAuth 2.0, and signatures of cards, in %s (C9)',
    (_version, service, method, kinds) => {
      for (const kind of kinds) {
        const securitySchemes = {
          one: { oauth2SecurityScheme: { flows: { [kind]: { scopes: { a: 'b' }, refreshUrl: 'https://a.example' } } } },
        };
        const card = {
          name: 'n',
          securitySchemes,
          signatures: [{ protected: 'p', signature: 's', header: { kid: 'k' } }],
        };
        expect(roundTrip(service, method, card)).toEqual(card);
      }
    },
  );

  it.each([
    [SERVICE_V1, 'CancelTask', ['/tasks/{id=*}:cancel', '/{tenant}/tasks/{id=*}:cancel'], '*'],
    [SERVICE_V1, 'ListTasks', ['/tasks', '/{tenant}/tasks'], ''],
    [SERVICE_V03, 'CreateTaskPushNotificationConfig', ['/v1/{parent=tasks/*/pushNotificationConfigs}'], 'config'],
  ])(
    'say which HTTP call a method is, to who reads its options as google.api.http: %s.%s (C9)',
    (service, name, paths, body) => {
      const files = descriptorFiles().map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
      const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: files }));
      const http = registry.getExtension('google.api.http');
      const options = registry.getService(service.typeName)?.methods.find((method) => method.name === name)
        ?.proto.options;
      if (http === undefined || options === undefined) throw new Error('there is no option');
      const rule = toJson(http.message ?? MethodOptionsSchema, getExtension(options, http) as Message) as unknown;
      const [first, ...others] = paths.map((path) => expect.objectContaining({ [body === '' ? 'get' : 'post']: path }));
      expect(rule).toEqual(first);
      expect((rule as { additionalBindings?: unknown }).additionalBindings).toEqual(
        others.length === 0 ? undefined : others,
      );
      expect((rule as { body?: string }).body ?? '').toBe(body);
    },
  );

  it('carry a file of 6 MiB', () => {
    const raw = Buffer.alloc(6 * 1_048_576, 7).toString('base64');
    const task = { id: 't', artifacts: [{ artifactId: 'a', parts: [{ raw }] }] };
    expect(roundTrip(SERVICE_V1, 'GetTask', task)).toMatchObject(task);
  });

  it('accept base64 of every alphabet and padding, and nothing else', () => {
    const taken = ['-_-_', '+/+/', '+/+', '+_=='].map((raw) =>
      roundTrip(SERVICE_V1, 'GetTask', { id: 't', artifacts: [{ artifactId: 'a', parts: [{ raw }] }] }),
    );
    expect(JSON.stringify(taken).match(/"raw":"[^"]*"/g)).toEqual([
      '"raw":"+/+/"',
      '"raw":"+/+/"',
      '"raw":"+/8="',
      '"raw":"+w=="',
    ]);
    const broken = { id: 't', artifacts: [{ artifactId: 'a', parts: [{ raw: 'a*b=' }] }] };
    expect(roundTrip(SERVICE_V1, 'GetTask', broken)).toEqual({ id: 't', artifacts: [{ artifactId: 'a' }] });
  });

  it('pack error details', () => {
    const info = {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'R',
      domain: 'd',
      metadata: { a: 'b' },
    };
    const status = { code: 5, message: 'm', details: [info] };
    expect(jsonOf(STATUS, bytesOf(STATUS, status))).toEqual(status);
  });
});
