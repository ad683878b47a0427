import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isBase64 } from '@parley/protocol/json/base64.js';
import { Json } from '@parley/protocol/model/json.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Part } from '@parley/protocol/model/message.js';
import { endsStream } from '@parley/protocol/model/task-state.js';
import { codecV01 } from '@parley/protocol/v0_1/codec.js';
import { codecV03 } from '@parley/protocol/v0_3/codec.js';
import { decodeRestV03 } from '@parley/protocol/v0_3/rest/codec.js';
import { messageToProto } from '@parley/protocol/v0_3/rest/message.js';
import { messageToV03 } from '@parley/protocol/v0_3/translate/message.js';
import { messageToV01 } from '@parley/protocol/v0_1/translate/message.js';
import { events, messages } from './arbitraries.js';
import { eventFromV03 } from './reader-v0-3.js';

// Whole tasks are slow to make up; the runs are many over the days.
fc.configureGlobal({ numRuns: 40 });

const written = (value: unknown) => JSON.parse(JSON.stringify(value)) as JsonObject;
const fileForms = fc.constantFrom('bytes' as const, 'base64-text' as const);
const stream = { method: 'message/stream', params: {} };
/**
 * A file whose bytes are base64 text. Of a caller who writes bytes, as far as is known, 0.3 cannot say whether they were
 * encoded once or twice; a caller who writes base64 text is read exactly (file-form.spec.ts).
 */
const isBase64Text = (part: Part) => 'raw' in part && isBase64(Buffer.from(part.raw, 'base64').toString('latin1'));

describe('1.0 → 0.3 → 1.0', () => {
  it('DISP-12: keeps messages whole', () => {
    fc.assert(
      fc.property(messages, (message) => {
        const params = { message: written(messageToV03(message)) };
        expect(codecV03.decodeParams('SendMessage', { method: 'message/send', params })).toEqual({ message });
      }),
    );
  });

  it('DISP-12, SEED-29, TRAP-53, TRAP-56: keeps tasks and events whole, and marks the last (V03-FINAL)', () => {
    const encode = codecV03.streamEncoder('SendStreamingMessage', stream);
    fc.assert(
      fc.property(events, (event) => {
        const [text = '', ...more] = encode(Json.of(event));
        expect(more).toEqual([]);
        const old = JSON.parse(text) as JsonObject;
        expect(eventFromV03(old)).toEqual(event);
        if ('statusUpdate' in event) expect(old.final).toBe(endsStream(event.statusUpdate.status.state));
      }),
    );
  });

  it('DISP-12: keeps messages over 0.3 REST but for referenceTaskIds, which have no place in its proto', () => {
    fc.assert(
      fc.property(messages, fileForms, ({ referenceTaskIds: _lost, ...message }, files) => {
        fc.pre(files === 'base64-text' || !message.parts.some(isBase64Text));
        const body = { message: written(messageToProto(message, files)) };
        const decoded = decodeRestV03('SendMessage', { taskId: '', configId: '', query: {}, body, files });
        expect(decoded).toEqual({ message });
      }),
    );
  });

  it('reads 0.3 REST bodies written as JSON-RPC objects too (5.3)', () => {
    fc.assert(
      fc.property(messages, (message) => {
        const body = { message: written(messageToV03(message)) };
        const decoded = decodeRestV03('SendMessage', { taskId: '', configId: '', query: {}, body, files: 'bytes' });
        expect(decoded).toEqual({ message });
      }),
    );
  });
});

describe('1.0 → 0.1 → 1.0', () => {
  it('DISP-12: keeps role, parts and metadata of messages', () => {
    fc.assert(
      fc.property(messages, (message) => {
        const params = { id: 'c', message: { ...written(messageToV01(message)), messageId: 'm' } };
        const decoded = codecV01.decodeParams('SendMessage', { method: 'tasks/send', params });
        const { role, parts, metadata } = message;
        expect(decoded).toMatchObject({ message: { messageId: 'm', role, parts, ...(metadata && { metadata }) } });
      }),
    );
  });
});

describe('any params', () => {
  it('never make a decoder throw anything but a fault for the caller (A2A-SEC-01)', () => {
    const methods = fc.constantFrom(
      ['SendMessage', 'message/send'] as const,
      ['GetTask', 'tasks/get'] as const,
      ['CreateTaskPushNotificationConfig', 'tasks/pushNotificationConfig/set'] as const,
    );
    const members = [
      'message',
      'configuration',
      'parts',
      'id',
      'pushNotificationConfig',
      'role',
      'kind',
      'data',
      'file',
    ];
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, true, 1, 'x', 'text', 'data'),
        fc.array(tie('json'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...members), tie('json'), { maxKeys: 4, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(methods, json, ([operation, method], params) => {
        expect(() => codecV03.decodeParams(operation, { method, params })).not.toThrow();
        const rest = { taskId: 't', configId: '', query: {}, body: params, files: 'bytes' } as const;
        if (operation !== 'CreateTaskPushNotificationConfig') decodeRestV03(operation, rest);
      }),
    );
  });
});
