import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aRun, PageServices } from '../../kit/agui/page-service.js';

/** Bodies and cursors; each is a request. `FUZZ_REQUESTS=10000` for the figure of the row. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 2_000);
const AT_ONCE = 20;

describe('the endpoint of pages, with what no client sends (AG-UI)', () => {
  let services: PageServices;
  beforeAll(async () => {
    services = await PageServices.start(1, { RATE_WRITE: '9000000/9000000', RATE_READ: '9000000/9000000' });
  });
  afterAll(() => services.close());

  it(`answers ${String(REQUESTS)} mutated bodies and cursors, none of them with a fault of its own (DOOR-13)`, async () => {
    const requests = fc.sample(
      fc.tuple(fc.constantFrom('tell', 'confirm', 'tell/connect', 'tell/cancel'), bodies, cursors),
      REQUESTS,
    );
    const counts = new Map<number, number>();
    const faults: unknown[] = [];
    for (let at = 0; at < REQUESTS; at += AT_ONCE) {
      await Promise.all(
        requests.slice(at, at + AT_ONCE).map(async ([path, body, cursor]) => {
          const headers = cursor === undefined ? {} : { 'last-event-id': cursor };
          const response = await services.post(path, body, { headers });
          const text = await response.text();
          counts.set(response.status, (counts.get(response.status) ?? 0) + 1);
          const isFault = response.status >= 500 || text.includes('"internal_error"');
          if (isFault && faults.length < 5) faults.push({ path, body, cursor, text });
        }),
      );
    }
    expect(faults).toEqual([]);
    expect(Math.max(...counts.keys())).toBeLessThan(500);
    expect(counts.get(200)).toBeGreaterThan(100);
    expect(counts.get(400)).toBeGreaterThan(100);
  }, 600_000);
});

const words = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.constantFrom(
    '',
    'user',
    'assistant',
    'resolved',
    'cancelled',
    '1.0',
    'a~b:1.1',
    '00000000-0000-4000-8000-000000000000~x:1',
    'x/?y',
    '__proto__',
  ),
);
const values = fc.oneof(
  { maxDepth: 3 },
  fc.jsonValue({ maxDepth: 3 }),
  words,
  fc.constantFrom(null, [], {}, -1, 1e308),
);
const messages = fc.array(
  fc.record({ id: words, role: words, content: fc.oneof(words, values), toolCalls: values }, { requiredKeys: ['id'] }),
  { maxLength: 4 },
);
const answers = fc.array(
  fc.record({ interruptId: words, status: words, payload: values }, { requiredKeys: ['interruptId'] }),
  { maxLength: 3 },
);
/** A good run in which some members are replaced or left out; some are no JSON at all. */
const bodies = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .record(
        {
          threadId: fc.oneof(words, values),
          runId: fc.oneof(words, values),
          messages: fc.oneof(messages, values),
          resume: fc.oneof(answers, values),
          protocolVersion: fc.oneof(words, values),
          state: values,
          tools: values,
          context: values,
          forwardedProps: fc.oneof(
            values,
            fc.record({ parley: fc.oneof(values, fc.record({ input: values, messages: words })) }),
          ),
          taskId: fc.oneof(words, values),
        },
        { requiredKeys: [] },
      )
      .map((changes): unknown => ({ ...aRun('hello'), ...changes })),
  },
  { weight: 2, arbitrary: fc.constant(0).map((): unknown => aRun('hello')) },
  { weight: 1, arbitrary: fc.oneof(values, fc.string({ maxLength: 40 })).map((value): unknown => value) },
);
const cursors = fc.option(
  fc.oneof(
    fc.stringMatching(/^[\x21-\x7e]{0,60}$/),
    fc.tuple(fc.nat(20), fc.stringMatching(/^[\w,.~!;-]{0,40}$/)).map(([seq, list]) => `${String(seq)}-abcdef;${list}`),
  ),
  { nil: undefined },
);
