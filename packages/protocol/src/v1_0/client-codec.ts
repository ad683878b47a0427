import { withoutUnset } from '../json/json-value.js';
import type { ClientCodec } from '../codec/client-codec.js';
import { normaliseMessage } from './proto-json.js';
import { EVENT_SHAPE, RESULT_SHAPES } from './proto-shapes.js';

/** A2A 1.0 as its caller speaks it. The model inside is 1.0 itself: only spellings are brought into one form. */
export const clientCodecV1: ClientCodec = {
  version: '1.0',
  encodeCall: (method, params) => ({ method, params: withoutUnset({ ...params }) }),
  decodeResult: (operation, result) => normaliseMessage(RESULT_SHAPES[operation], result ?? {}),
  decodeEvent: (event) => normaliseMessage(EVENT_SHAPE, event),
};
