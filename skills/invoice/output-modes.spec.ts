import { describe, expect, it } from '@jest/globals';
import { artifactsOf } from './output-modes.js';

const RESULT = { id: 'invoice', name: 'Invoice 1', value: { a: 1 }, markdown: '# Invoice' };

function modes(...accepted: readonly string[]): readonly (string | undefined)[] {
  return artifactsOf(RESULT, accepted).map(({ parts: [part] }) => part?.mediaType);
}

describe(artifactsOf.name, () => {
  it('gives both forms to a caller that takes anything', () => {
    expect(modes()).toEqual(['application/json', 'text/markdown']);
    expect(modes('*/*')).toEqual(['application/json', 'text/markdown']);
  });

  it('gives only media types that the caller accepts (SEED-20, A2A-SEND-17)', () => {
    expect(modes('application/json')).toEqual(['application/json']);
    expect(modes('text/markdown')).toEqual(['text/markdown']);
    expect(modes('text/*')).toEqual(['text/markdown']);
    expect(modes('Application/JSON; charset=utf-8')).toEqual(['application/json']);
    expect(modes('image/png')).toEqual([]);
  });

  it('takes the short names of older callers: `text` is text of any kind (conformance C3, S17)', () => {
    expect(modes('text')).toEqual(['text/markdown']);
    expect(modes('data')).toEqual(['application/json']);
    expect(modes('text', 'text/plain')).toEqual(['text/markdown']);
  });

  it('gives Markdown as plain text to a caller that takes only that', () => {
    expect(modes('text/plain')).toEqual(['text/plain']);
  });

  it('puts the value in a data part and the text in a text part, each an artifact of its own', () => {
    expect(artifactsOf(RESULT, [])).toMatchObject([
      { kind: 'artifact', artifactId: 'invoice', name: 'Invoice 1', parts: [{ data: { a: 1 } }] },
      { kind: 'artifact', artifactId: 'invoice-summary', parts: [{ text: '# Invoice' }] },
    ]);
  });
});
