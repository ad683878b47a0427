import { describe, expect, it } from '@jest/globals';
import { A2A_ERROR_NAMES, A2AError, invalidParams } from '../model/errors.js';
import { GRPC_CODES, grpcCode } from '../binding/grpc-status.js';
import { rpcHttpStatus } from '../binding/rpc-http-status.js';
import { restErrorV1 } from './rest-errors.js';
import { decodeQuery } from '../binding/rest-query.js';

describe(restErrorV1.name, () => {
  it.each(A2A_ERROR_NAMES)('A2A-REST-03: writes %s as google.rpc.Status with ErrorInfo', (kind) => {
    const { error } = restErrorV1(new A2AError(kind, 'why'));
    expect(error).toMatchObject({ message: 'why', details: [{ domain: 'a2a-protocol.org', metadata: {} }] });
    expect(error.code).toBeGreaterThanOrEqual(400);
    expect(Object.keys(GRPC_CODES)).toContain(error.status);
  });

  it('TRAP-01: has the statuses of 1.0.1', () => {
    const written = (['TaskNotFound', 'TaskNotCancelable', 'InvalidAgentResponse', 'MethodNotFound'] as const).map(
      (kind) => restErrorV1(new A2AError(kind, '')).error,
    );
    expect(written.map(({ code, status }) => [code, status])).toEqual([
      [404, 'NOT_FOUND'],
      [400, 'FAILED_PRECONDITION'],
      [500, 'INTERNAL'],
      [404, 'NOT_FOUND'],
    ]);
  });

  it('A2A-REST-07: takes the HTTP status that HTTP asks for', () => {
    expect(restErrorV1(new A2AError('MethodNotFound', 'why'), 405).error.code).toBe(405);
  });

  it('A2A-ERR-03: names the wrong fields', () => {
    const violations = [{ field: 'message', description: 'is required' }];
    expect(restErrorV1(invalidParams(violations)).error.details[1]).toMatchObject({ fieldViolations: violations });
  });
});

describe(grpcCode.name, () => {
  it('A2A-GRPC-03: gives the number of the status name', () => {
    expect(grpcCode('TaskNotFound')).toBe(5);
    expect(grpcCode('MethodNotFound')).toBe(12);
    expect(grpcCode('Unauthenticated')).toBe(16);
  });
});

describe(rpcHttpStatus.name, () => {
  it('A2A-RPC-09, TRAP-43: is 200 unless HTTP has something to say', () => {
    const others = A2A_ERROR_NAMES.filter((kind) => rpcHttpStatus(kind) !== 200);
    expect(others.map((kind) => [kind, rpcHttpStatus(kind)])).toEqual([
      ['RequestTooLarge', 413],
      ['Unauthenticated', 401],
      ['PermissionDenied', 403],
      ['RateLimited', 429],
      ['Unavailable', 503],
    ]);
  });
});

describe(decodeQuery.name, () => {
  it('A2A-REST-02: reads text, integers and booleans', () => {
    const query = {
      contextId: 'c',
      status: 'TASK_STATE_WORKING',
      pageSize: '10',
      historyLength: '0',
      includeArtifacts: 'true',
      statusTimestampAfter: '2026-01-01T00:00:00Z',
    };
    expect(decodeQuery('ListTasks', query)).toEqual({
      ...query,
      pageSize: 10,
      historyLength: 0,
      includeArtifacts: true,
    });
  });

  it('leaves values that are no integer or boolean to validation', () => {
    expect(decodeQuery('ListTasks', { pageSize: 'ten', includeArtifacts: 'yes', historyLength: '1.5' })).toEqual({
      pageSize: 'ten',
      includeArtifacts: 'yes',
      historyLength: '1.5',
    });
  });

  it('A2A-JSON-01: accepts proto names; unknown, empty and foreign parameters are ignored', () => {
    expect(decodeQuery('GetTask', { history_length: '3', pageSize: '5', 'A2A-Version': '1.0' })).toEqual({
      historyLength: 3,
    });
    expect(decodeQuery('ListTasks', { contextId: '', pageToken: ['a', 'b'] })).toEqual({ pageToken: 'b' });
  });

  it('reads the tenant of every operation (A2A-REST-09)', () => {
    expect(decodeQuery('CancelTask', { tenant: 'acme' })).toEqual({ tenant: 'acme' });
  });
});
