import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { A2A_ERROR_NAMES, A2AError, invalidParams, type A2AErrorName } from '@parley/protocol/model/errors.js';
import type { ProtocolVersion } from '@parley/protocol/model/protocol-version.js';
import type { WireCodec } from '@parley/protocol/codec/codec.js';
import { codecOf, CODECS } from '@parley/protocol/versions/codecs.js';
import { ERROR_REASONS } from '@parley/protocol/binding/error-reasons.js';
import { GRPC_STATUS } from '@parley/protocol/binding/grpc-status.js';
import { REST_HTTP_STATUS } from '@parley/protocol/binding/rest-http-status.js';
import { restErrorV03 } from '@parley/protocol/v0_3/rest/codec.js';
import { restErrorV1 } from '@parley/protocol/v1_0/rest-errors.js';

interface ErrorRow extends Readonly<Record<ProtocolVersion, number>> {
  readonly kind: A2AErrorName;
  readonly http: number;
  readonly grpc: string;
  readonly reason: string;
}

const rows = JSON.parse(readFileSync(new URL('errors.json', import.meta.url), 'utf8')) as readonly ErrorRow[];

function codec(version: ProtocolVersion): WireCodec {
  const found = codecOf(version);
  if (found === undefined) throw new Error(`No codec for ${version}`);
  return found;
}

describe('error tables (A2A-ERR-01, A2A-ERR-02)', () => {
  it('have a row for every fault', () => {
    expect(rows.map(({ kind }) => kind)).toEqual(A2A_ERROR_NAMES);
  });

  it.each(rows)('$kind', (row) => {
    const error = new A2AError(row.kind, 'why', { metadata: { a: 'b' } });
    for (const { version, encodeError } of CODECS) {
      expect([version, encodeError(error).code]).toEqual([version, row[version]]);
    }
    expect(REST_HTTP_STATUS[row.kind]).toBe(row.http);
    expect(restErrorV1(error).error.code).toBe(row.http);
    expect(GRPC_STATUS[row.kind]).toBe(row.grpc);
    expect(ERROR_REASONS[row.kind]).toBe(row.reason);
    expect(restErrorV03(error)).toEqual({
      code: row['0.3'],
      message: 'why',
      data: { reason: row.reason, metadata: { a: 'b' } },
    });
  });
});

describe('error data', () => {
  const wrong = invalidParams([{ field: 'message.parts', description: 'must not be empty' }]);

  it('TRAP-02: is an array of typed details in 1.0 and a plain object before', () => {
    expect(codec('1.0').encodeError(wrong).data).toEqual([
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'INVALID_PARAMS',
        domain: 'a2a-protocol.org',
        metadata: {},
      },
      {
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: [{ field: 'message.parts', description: 'must not be empty' }],
      },
    ]);
    for (const version of ['0.3', '0.2', '0.1'] as const) {
      expect(codec(version).encodeError(wrong).data).toEqual({
        reason: 'INVALID_PARAMS',
        fieldViolations: [{ field: 'message.parts', description: 'must not be empty' }],
      });
    }
  });

  it('A2A-ERR-06: tells when to try again', () => {
    const error = new A2AError('RateLimited', 'Too many requests', { retryAfterSeconds: 7 });
    expect(codec('0.3').encodeError(error).data).toEqual({ reason: 'RATE_LIMITED', retryAfterSeconds: 7 });
  });

  it('holds nothing of the cause (A2A-RPC-07)', () => {
    const error = new A2AError('InternalError', 'Internal error', { cause: new Error('redis://secret') });
    for (const { encodeError } of CODECS) expect(JSON.stringify(encodeError(error))).not.toContain('secret');
  });
});

describe('codes that only 0.1 has (v0.1 §8.2)', () => {
  const { encodeError } = codec('0.1');
  const call = (method: string) => ({ method, params: { id: 'c' } });

  it('tells no streaming from other unsupported operations', () => {
    const error = new A2AError('UnsupportedOperation', 'why');
    expect(encodeError(error, call('tasks/sendSubscribe')).code).toBe(-32006);
    expect(encodeError(error, call('tasks/send')).code).toBe(-32004);
  });

  it('D01-01: a message to a finished task is an invalid task state', () => {
    const error = new A2AError('UnsupportedOperation', 'why', { metadata: { state: 'TASK_STATE_COMPLETED' } });
    expect(encodeError(error, call('tasks/send')).code).toBe(-32009);
    expect(encodeError(error, call('tasks/sendSubscribe')).code).toBe(-32009);
  });

  it('SEED-05: a webhook address that is refused is an unsupported operation', () => {
    const refusedAt = (field: string) => encodeError(invalidParams([{ field, description: 'must be https' }])).code;
    expect(refusedAt('url')).toBe(-32004);
    expect(refusedAt('configuration.taskPushNotificationConfig.url')).toBe(-32004);
    expect(refusedAt('message.parts[0].url')).toBe(-32602);
  });
});
