import { Logger } from '@nestjs/common';
import { context, type Span, trace } from '@opentelemetry/api';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { carrierOf } from '../../../src/platform/tracing/trace-carrier.js';
import { recordSpans, traced } from '../../../src/platform/tracing/traced.js';
import { RUN_SPAN, runSpanOptions } from '../../../src/runs/worker/run-span.js';
import { completed } from '@parley/sdk/skill/events.js';
import { SkillFailure } from '@parley/sdk/skill/skill.js';
import { childIdOf } from '../../../src/tasks/task.keys.js';
import { AnsweringCaller } from '../../kit/tasks/answering.js';
import { eventually } from '../../kit/run/eventually.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { TreeBench } from '../../kit/tasks/tree-bench.js';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER_SPAN = '00f067aa0ba902b7';

const none = (): void => undefined;

const spans = new InMemorySpanExporter();

describe('the trace of a tree', () => {
  beforeAll(() => {
    new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }).register();
    recordSpans(true);
  });

  afterAll(() => {
    recordSpans(false);
    trace.disable();
    context.disable();
  });

  const stores = useTaskStores();

  it('has the runs of children below the run that called them, and goes on after waits (O-78)', async () => {
    const bench = new TreeBench(stores.now, {
      leaf: async function* ({ sleep }) {
        await sleep(100);
        yield completed('leaf');
      },
      middle: async function* ({ call }) {
        yield completed((await call('leaf')).text);
      },
      root: async function* ({ call }) {
        yield completed((await call('middle')).text);
      },
    });
    /** One run, as the runner has it: in its span, which the next run of the task names. */
    const run = async (id: string): Promise<void> => {
      const claimed = await bench.claim(id);
      const work = async (span: Span): Promise<void> => {
        await stores.now.runs.notebook.noteSpan(claimed, carrierOf(span).traceparent ?? '');
        await bench.turn(claimed);
      };
      await traced(RUN_SPAN, () => runSpanOptions(claimed), work);
    };
    const root = await bench.root('root', { trace: { traceparent: `00-${TRACE_ID}-${CALLER_SPAN}-01` } });
    const middle = childIdOf(root, 1, 'middle#1');
    const leaf = childIdOf(middle, 1, 'leaf#1');
    for (const id of [root, middle, leaf]) await run(id);
    await eventually(async () => expect(await stores.now.sweeps.wake(10)).toMatchObject({ woken: 1 }));
    for (const id of [leaf, middle, root]) await run(id);
    expect(await bench.said(root)).toBe('leaf');

    const runs = spans.getFinishedSpans().filter(({ name }) => name === RUN_SPAN);
    expect(new Set(runs.map((span) => span.spanContext().traceId))).toEqual(new Set([TRACE_ID]));
    const of = (id: string) => runs.filter(({ attributes }) => attributes['a2a.task.id'] === id);
    const parents = (id: string) => of(id).map(({ parentSpanContext }) => parentSpanContext?.spanId);
    const first = (id: string) => of(id)[0]?.spanContext().spanId;
    expect(parents(root)).toEqual([CALLER_SPAN, CALLER_SPAN]);
    expect(parents(middle)).toEqual([first(root), first(root)]);
    expect(parents(leaf)).toEqual([first(middle), first(middle)]);
    for (const id of [root, middle, leaf]) expect(of(id)[1]?.links[0]?.context.spanId).toBe(first(id));
  });

  it('has a span for each call, park and question, and a line for each call, without content (O-78)', async () => {
    const lines: unknown[] = [];
    Logger.overrideLogger({ log: (line: unknown) => lines.push(line), warn: none, error: none });
    spans.reset();
    const bench = new TreeBench(stores.now, {
      leaf: async function* ({ text }) {
        if (text === 'secret') throw new SkillFailure('secret');
        yield completed('secret');
      },
      root: async function* ({ call, ask }) {
        await call('leaf', 'fine secret', { key: 'secret' });
        await call('leaf', 'secret').catch(() => undefined);
        await call('nowhere').catch(() => undefined);
        yield completed((await ask('secret?')).text);
      },
    });
    const run = async (id: string): Promise<void> => {
      const claimed = await bench.claim(id);
      await traced(
        RUN_SPAN,
        () => runSpanOptions(claimed),
        () => bench.turn(claimed),
      );
    };
    const root = await bench.root('root', { trace: { traceparent: `00-${TRACE_ID}-${CALLER_SPAN}-01` } });
    const children = ['secret', 'leaf#1'].map((key) => childIdOf(root, 1, key));
    await run(root);
    await run(children[0] ?? '');
    await run(root);
    await bench.finish(children[1] ?? '');
    await run(root);
    await stores.now.board.refresh(root);
    await new AnsweringCaller(stores.now).say(root, 'secret');
    await run(root);
    Logger.overrideLogger(false);

    expect((await stores.now.word(root)).state).toBe('TASK_STATE_COMPLETED');
    const called = lines.filter((line) => (line as { event?: string }).event === 'agent.called');
    const ids = { event: 'agent.called', taskId: root, rootId: root, skill: 'root', turn: 1 };
    expect(called).toEqual([
      { ...ids, called: 'leaf', childId: children[0], outcome: 'completed', ms: expect.any(Number) },
      { ...ids, called: 'leaf', childId: children[1], outcome: 'failed', ms: expect.any(Number) },
      { ...ids, called: 'nowhere', outcome: 'unknown-skill' },
    ]);
    const named = (name: string) => spans.getFinishedSpans().filter((span) => span.name === name);
    expect(named('agent.call').map(({ attributes }) => attributes['a2a.outcome'])).toEqual([
      ...['completed', 'failed', 'unknown-skill'],
    ]);
    expect(named('agent.park').map(({ attributes }) => attributes['a2a.park.outcome'])).toEqual([
      ...['parked', 'parked', 'parked'],
    ]);
    expect(named('agent.ask').map(({ attributes }) => attributes['a2a.outcome'])).toEqual(['answered']);
    const own = ['agent.call', 'agent.park', 'agent.ask'].flatMap(named);
    expect(new Set(own.map((span) => span.spanContext().traceId))).toEqual(new Set([TRACE_ID]));
    expect(JSON.stringify([called, own.map(({ attributes }) => attributes)])).not.toContain('secret');
  });
});
