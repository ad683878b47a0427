import { describe, expect, it } from '@jest/globals';
import { type Link, ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api';
import { statedTrace } from './stated-trace.js';

const IDS = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const traceparent = `00-${IDS.traceId}-${IDS.spanId}-01`;

function recording(links: Link[]) {
  const span: Span = trace.wrapSpanContext({ ...IDS, spanId: '00f067aa0ba902b7', traceFlags: 1 });
  const live = Object.assign(Object.create(span) as Span, {
    isRecording: () => true,
    addLink: (link: Link) => links.push(link),
  });
  return trace.setSpan(ROOT_CONTEXT, live);
}

describe(statedTrace.name, () => {
  it('uses the trace of _meta as the parent when HTTP has none (MCP-AUTH-6)', () => {
    const stated = statedTrace(ROOT_CONTEXT, { traceparent }, undefined);
    expect(trace.getSpanContext(stated)).toMatchObject(IDS);
  });

  it('keeps the trace of the header, and links another one (MCP-AUTH-6)', () => {
    const links: Link[] = [];
    const own = recording(links);
    expect(statedTrace(own, { traceparent }, `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`)).toBe(own);
    expect(links).toMatchObject([{ context: IDS }]);
    expect(statedTrace(ROOT_CONTEXT, { traceparent }, 'another')).toBe(ROOT_CONTEXT);
  });

  it.each([[{}], [{ traceparent: 7 }], [{ traceparent: 'nonsense' }]])('ignores %j', (meta) => {
    expect(statedTrace(ROOT_CONTEXT, meta, undefined)).toBe(ROOT_CONTEXT);
  });
});
