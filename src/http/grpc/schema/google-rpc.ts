import type { ProtoFile } from '@parley/protocol/proto/proto-file.js';

/** The message types of rich errors (google.rpc; A2A 1.0 §10.6). */
export const GOOGLE_RPC: ProtoFile = {
  package: 'google.rpc',
  messages: {
    Status: { code: '1 int32', message: '2 string', details: '3 Any[]' },
    ErrorInfo: { reason: '1 string', domain: '2 string', metadata: '3 map string' },
    FieldViolation: { field: '1 string', description: '2 string' },
    BadRequest: { field_violations: '1 FieldViolation[]' },
    RetryInfo: { retry_delay: '1 Duration' },
  },
};
