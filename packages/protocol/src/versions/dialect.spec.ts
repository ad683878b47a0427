import { describe, expect, it } from '@jest/globals';
import { A2AError } from '../model/errors.js';
import type { ProtocolVersion } from '../model/protocol-version.js';
import { dialectOf, dialectOfTask, type DialectClues } from './dialect.js';
import { restDialect } from './rest-dialect.js';
import { requestedVersion } from './version.js';

type Clues = Partial<Omit<DialectClues, 'call'>> & { readonly params?: unknown };

function decide(method: string, { params = { id: 't' }, ...clues }: Clues = {}): string {
  const dialect = dialectOf({ strict: false, ...clues, call: { method, params } });
  switch (dialect.kind) {
    case 'found':
      return dialect.codec.version;
    case 'ask-task':
      return `ask ${dialect.taskId}`;
    case 'refused':
      return `${dialect.error.kind} in ${dialect.codec.version}`;
  }
}

describe(requestedVersion.name, () => {
  it.each<[string | undefined, string | undefined, ProtocolVersion | 'unknown' | undefined]>([
    [undefined, undefined, undefined],
    ['', '', undefined],
    ['1.0', undefined, '1.0'],
    [' 1.0 ', undefined, '1.0'],
    ['1.0.1', undefined, '1.0'],
    ['1.1', undefined, 'unknown'],
    ['2.0', undefined, 'unknown'],
    ['1', undefined, 'unknown'],
    ['banana', undefined, 'unknown'],
    ['0.3', undefined, '0.3'],
    ['0.3.0', undefined, '0.3'],
    ['0.7', undefined, '0.3'],
    ['0.2.6', undefined, '0.2'],
    ['0.1', undefined, '0.1'],
    ['0.0', undefined, 'unknown'],
    [undefined, '1.0', '1.0'],
    ['', '0.3', '0.3'],
    ['1.0', '0.3', '1.0'],
  ])('DISP-01, -02, -04, -11: header %j and query %j ask for %j', (header, query, version) => {
    expect(requestedVersion({ header, query })).toBe(version);
  });
});

describe(dialectOf.name, () => {
  it.each([
    ['SendMessage', '1.0'],
    ['ListTasks', '1.0'],
    ['message/send', '0.3'],
    ['message/stream', '0.3'],
    ['tasks/pushNotificationConfig/set', '0.3'],
    ['agent/getAuthenticatedExtendedCard', '0.3'],
    ['agent/authenticatedExtendedCard', '0.3'],
    ['tasks/send', '0.1'],
    ['tasks/sendSubscribe', '0.1'],
    ['tasks/pushNotification/set', '0.1'],
    ['tasks/pushNotification/get', '0.1'],
  ])('DISP-06: takes %s without a version as %s', (method, version) => {
    expect(decide(method)).toBe(version);
  });

  it.each(['tasks/get', 'tasks/cancel', 'tasks/resubscribe'])(
    'DISP-07: asks the task for the dialect of %s',
    (method) => {
      expect(decide(method)).toBe('ask t');
      expect(decide(method, { header: '0.3' })).toBe('0.3');
      expect(decide(method, { params: {} })).toBe('0.3');
    },
  );

  it('DISP-07: answers in the dialect of the creation, else in 0.3', () => {
    expect(dialectOfTask('0.1').version).toBe('0.1');
    expect(dialectOfTask('0.2').version).toBe('0.2');
    expect(dialectOfTask('1.0').version).toBe('0.3');
    expect(dialectOfTask(undefined).version).toBe('0.3');
  });

  it('DISP-08: a 1.0 method without version is 1.0, or refused when strict', () => {
    expect(decide('SendMessage', { strict: true })).toBe('VersionNotSupported in 1.0');
    expect(decide('SendMessage', { strict: true, header: '1.0' })).toBe('1.0');
  });

  it('TRAP-14: a 1.0 method with version 0.3 is 1.0, or unknown when strict', () => {
    expect(decide('SendMessage', { header: '0.3' })).toBe('1.0');
    expect(decide('SendMessage', { header: '0.3', strict: true })).toBe('MethodNotFound in 0.3');
  });

  it('DISP-09: an older method with version 1.0 is unknown', () => {
    expect(decide('message/send', { header: '1.0' })).toBe('MethodNotFound in 1.0');
    expect(decide('tasks/get', { header: '1.0' })).toBe('MethodNotFound in 1.0');
    expect(decide('tasks/send', { header: '0.3' })).toBe('MethodNotFound in 0.3');
  });

  it('DISP-11: serves 0.2 by its own row', () => {
    expect(decide('message/send', { header: '0.2.5' })).toBe('0.2');
    expect(decide('tasks/get', { header: '0.2' })).toBe('0.2');
  });

  it('A2A-RPC-05: refuses unknown methods in the tongue that they resemble', () => {
    expect(decide('DoMagic')).toBe('MethodNotFound in 1.0');
    expect(decide('tasks/list')).toBe('MethodNotFound in 0.3');
  });

  it('A2A-RPC-05: names the methods that there are, and the version that has the one asked for', () => {
    const refusal = (method: string, header?: string) => {
      const dialect = dialectOf({ strict: false, header, call: { method, params: {} } });
      return dialect.kind === 'refused' ? dialect.error : undefined;
    };
    expect(refusal('DoMagic')).toMatchObject({
      message: expect.stringMatching(/^Method not found. A2A 1.0 has: SendMessage, .*GetExtendedAgentCard$/),
      metadata: { version: '1.0', methods: expect.stringContaining('SendMessage, SendStreamingMessage, GetTask') },
    });
    expect(refusal('tasks/list')?.message).toContain('A2A 0.3 has: message/send, message/stream');
    expect(refusal('message/send', '1.0')?.message).toMatch(/; message\/send is a method of 0.3 and 0.2$/);
  });

  it('DISP-03, A2A-ERR-08: refuses unknown versions and names the known ones', () => {
    const dialect = dialectOf({ strict: false, header: '9.9', call: { method: 'GetTask', params: {} } });
    expect(dialect).toMatchObject({
      kind: 'refused',
      codec: { version: '1.0' },
      error: { kind: 'VersionNotSupported', metadata: { supportedVersions: '1.0, 0.3, 0.2, 0.1' } },
    });
    expect(decide('message/send', { header: '9.9' })).toBe('VersionNotSupported in 0.3');
  });
});

describe(restDialect.name, () => {
  it.each<[boolean, string | undefined, boolean, string]>([
    [true, undefined, false, '0.3'],
    [true, undefined, true, '0.3'],
    [true, '0.3', false, '0.3'],
    [true, '0.2', false, '0.3'],
    [true, '1.0', false, 'VersionNotSupported'],
    [false, undefined, false, '1.0'],
    [false, undefined, true, 'VersionNotSupported'],
    [false, '1.0', true, '1.0'],
    [false, '0.3', false, 'VersionNotSupported'],
    [false, '9.9', false, 'VersionNotSupported'],
  ])('DISP-10, A2A-REST-08: prefixed %j, header %j, strict %j is %s', (prefixed, header, strict, expected) => {
    const decided = restDialect(prefixed, { header }, strict);
    expect(decided instanceof A2AError ? decided.kind : decided).toBe(expected);
  });
});
