import { describe, expect, it } from '@jest/globals';
import { readRestPath } from './rest-path.js';

const NOTHING = { tenant: '', taskId: '', configId: '', hasV1Prefix: false };

describe(readRestPath.name, () => {
  it.each([
    ['/message:send', { resource: 'message:send' }],
    ['/message%3Asend', { resource: 'message:send' }],
    ['/message:stream', { resource: 'message:stream' }],
    ['/tasks', { resource: 'tasks' }],
    ['/tasks/a', { resource: 'task', taskId: 'a' }],
    ['/tasks/a:cancel', { resource: 'task:cancel', taskId: 'a' }],
    ['/tasks/a:subscribe', { resource: 'task:subscribe', taskId: 'a' }],
    ['/tasks/a/pushNotificationConfigs', { resource: 'configs', taskId: 'a' }],
    ['/tasks/a/pushNotificationConfigs/b', { resource: 'config', taskId: 'a', configId: 'b' }],
    ['/extendedAgentCard', { resource: 'card' }],
  ])('reads %s (A2A 1.0 §11.3)', (path, expected) => {
    expect(readRestPath(path)).toEqual({ ...NOTHING, ...expected });
    expect(readRestPath(`/acme${path}`)).toEqual({ ...NOTHING, tenant: 'acme', ...expected });
  });

  it.each(['/a2a', '/', '//', '/a2a/', '//a2a//'])('reads all of it below %s, tenants too (FITS-02)', (base) => {
    expect(readRestPath(`${base}/message:send`)).toEqual({ ...NOTHING, resource: 'message:send' });
    expect(readRestPath(`${base}/acme/tasks/a`)).toEqual({ ...NOTHING, tenant: 'acme', resource: 'task', taskId: 'a' });
    expect(readRestPath(`${base}/v1/card`)).toEqual({ ...NOTHING, hasV1Prefix: true, resource: 'card' });
  });

  it('has the tenant of the name of the alias behind it, and no other path of the service (FITS-02)', () => {
    expect(readRestPath('/a2a/a2a/tasks')).toMatchObject({ tenant: 'a2a', resource: 'tasks' });
    for (const path of ['/a2a', '/a2a/console', '/a2a/metrics', '/a2a/.well-known/jwks.json', '/a2a/a2a/a2a/tasks'])
      expect(readRestPath(path)).toBeUndefined();
  });

  it.each([
    ['/tasks/urn:x:1', { resource: 'task', taskId: 'urn:x:1' }],
    ['/tasks/urn:x:1:cancel', { resource: 'task:cancel', taskId: 'urn:x:1' }],
    ['/tasks/a%3Acancel', { resource: 'task:cancel', taskId: 'a' }],
    ['/tasks/a%3asubscribe', { resource: 'task:subscribe', taskId: 'a' }],
    ['/tasks/a%3Acancel:cancel', { resource: 'task:cancel', taskId: 'a:cancel' }],
    ['/tasks/a%3Afrobnicate', { resource: 'task', taskId: 'a:frobnicate' }],
    ['/tasks/a%2Fb:subscribe', { resource: 'task:subscribe', taskId: 'a/b' }],
    ['/tasks/:cancel', { resource: 'task', taskId: ':cancel' }],
    ['/tasks/a:frobnicate', { resource: 'task', taskId: 'a:frobnicate' }],
    ['/tasks/a%20b%C3%A9', { resource: 'task', taskId: 'a bé' }],
    ['/tasks/tasks', { resource: 'task', taskId: 'tasks' }],
  ])('splits %s on the last colon and decodes after that (A2A-REST-05, TRAP-58, B15)', (path, expected) => {
    expect(readRestPath(path)).toEqual({ ...NOTHING, ...expected });
  });

  it.each([
    ['/v1/message:send', { resource: 'message:send' }],
    ['/v1/tasks/a:cancel', { resource: 'task:cancel', taskId: 'a' }],
    ['/v1/card', { resource: 'card' }],
  ])('takes %s for 0.3 (DISP-10)', (path, expected) => {
    expect(readRestPath(path)).toEqual({ ...NOTHING, hasV1Prefix: true, ...expected });
  });

  it('does not read a reserved word as a tenant (TRAP-21)', () => {
    for (const word of ['tasks', 'message:send', 'extendedAgentCard', '.well-known']) {
      expect(readRestPath(`/${word}/tasks/a/b`)).toBeUndefined();
    }
    expect(readRestPath('/v1/tasks')).toMatchObject({ tenant: '', hasV1Prefix: true });
    expect(readRestPath('/v1/extendedAgentCard')).toBeUndefined();
    expect(readRestPath('/card')).toBeUndefined();
  });

  it.each(['/', '/tasks/', '/tasks/a/', '/tasks/a/x', '/tasks/a/pushNotificationConfigs/b/c', '/a/b/tasks'])(
    'finds nothing at %s',
    (path) => {
      expect(readRestPath(path)).toBeUndefined();
    },
  );

  it('throws for a path that is not percent-encoded UTF-8', () => {
    expect(() => readRestPath('/tasks/%C3')).toThrow(URIError);
  });
});
