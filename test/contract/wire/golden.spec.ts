import { describe, expect, it } from '@jest/globals';
import { Json } from '@parley/protocol/model/json.js';
import { isStreaming } from '@parley/protocol/model/operations.js';
import type { WireCodec } from '@parley/protocol/codec/codec.js';
import { codecOf, SUPPORTED_VERSIONS } from '@parley/protocol/versions/codecs.js';
import { goldenFiles, type GoldenCase } from './golden.js';

const files = goldenFiles();

/** What a caller reads: the texts parsed again. */
function written(codec: WireCodec, golden: GoldenCase): { readonly result?: unknown; readonly events?: unknown } {
  const { operation, method, params } = golden;
  const call = { method, params };
  if (isStreaming(operation)) {
    const encode = codec.streamEncoder(operation, call);
    const texts = (golden.v1Events ?? []).flatMap((event) => encode(Json.ofText(JSON.stringify(event))));
    return { events: texts.map((text): unknown => JSON.parse(text)) };
  }
  const text = codec.encodeResult(operation, Json.ofText(JSON.stringify(golden.v1Result)), call);
  return { result: JSON.parse(text) };
}

describe('golden calls', () => {
  it('cover every version', () => {
    expect(files.map(({ dialect }) => dialect)).toEqual(expect.arrayContaining([...SUPPORTED_VERSIONS]));
  });
});

describe.each(files)('golden calls of $dialect', ({ dialect, cases }) => {
  const codec = codecOf(dialect);
  if (codec === undefined) throw new Error(`No codec for ${dialect}`);

  it.each(cases)('$name', (golden) => {
    const { operation, method, params, v1Params, legacyTerms } = golden;
    expect(codec.operationOf(method, params)).toBe(operation);
    expect(codec.decodeParams(operation, { method, params })).toStrictEqual(v1Params);
    expect(codec.legacyTerms(operation, { method, params })).toEqual(legacyTerms);
    if (golden.result !== undefined) expect(written(codec, golden).result).toStrictEqual(golden.result);
    if (golden.events !== undefined) expect(written(codec, golden).events).toStrictEqual(golden.events);
  });
});
