import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { NO_AUTH } from '@parley/client/http/agent-auth.js';
import { AgentClient, type StreamedEvent } from '@parley/client/call/agent-client.js';
import { RemoteError } from '@parley/client/http/remote-errors.js';
import type { RemoteEvent, RemoteState, RemoteTask } from '@parley/protocol/remote/remote-model.js';
import { clientCodecV1 } from '@parley/protocol/v1_0/client-codec.js';
import { PlainHttp } from '@parley/client/http/plain-http.js';
import { Waiting, type WaitOptions } from './waiting.js';

const MESSAGE = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] } } as const;

const task = (state: RemoteState): RemoteTask => ({ id: 't', contextId: 'c', status: { state } });

type Script = readonly (RemoteEvent | RemoteError)[];

/** An agent whose streams and answers are written down; the last answer of a list is given again. */
function agent(streams: readonly Script[], polls: readonly (RemoteState | RemoteError)[]) {
  const calls: string[] = [];
  const opened: (string | undefined)[] = [];
  async function* play(name: string): AsyncGenerator<StreamedEvent> {
    calls.push(name);
    const script = streams[calls.filter((one) => one !== 'get' && one !== 'send').length - 1] ?? [];
    for (const [at, one] of script.entries()) {
      if (one instanceof RemoteError) throw one;
      yield { id: `${name}-${String(at)}`, event: one };
    }
  }
  const client = {
    streamMessage: () => play('stream'),
    subscribe: (_params: object, { after }: { after?: string }) => {
      opened.push(after);
      return play('subscribe');
    },
    getTask: async () => {
      calls.push('get');
      const state = polls[Math.min(calls.filter((one) => one === 'get').length, polls.length) - 1];
      if (state instanceof RemoteError) throw state;
      return task(state ?? 'TASK_STATE_WORKING');
    },
    sendMessage: async () => {
      calls.push('send');
      return { task: task('TASK_STATE_WORKING') };
    },
  };
  return { client: client as unknown as AgentClient, calls, opened };
}

const options = (more: Partial<WaitOptions> = {}): WaitOptions => ({
  ...{ pollMs: 1, timeoutMs: 5000, canStream: true, canResume: true, onTask: () => undefined },
  ...more,
});

const cut = new RemoteError('unreachable', 'reset');
const working: RemoteEvent = { task: task('TASK_STATE_WORKING') };
const done: RemoteEvent = { statusUpdate: { taskId: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } } };

const frame = (event: RemoteEvent): string => `data: ${JSON.stringify(event)}\n\n`;

const chunkOf = (seq: number): RemoteEvent => ({
  artifactUpdate: {
    ...{ taskId: 't', contextId: 'c', append: seq > 1, lastChunk: false },
    artifact: { artifactId: 'out', parts: [{ text: String(seq) }] },
  },
});

describe(Waiting.name, () => {
  it('A2ACLI_TASK_SUBSCRIBE_002: opens a broken stream again behind its last event', async () => {
    const { client, calls, opened } = agent([[working, cut], [cut], [done]], ['TASK_STATE_COMPLETED']);
    const reply = await new Waiting(client, options()).send(MESSAGE);
    expect(reply).toEqual({ task: task('TASK_STATE_COMPLETED') });
    expect(calls).toEqual(['stream', 'subscribe', 'subscribe', 'get']);
    expect(opened).toEqual(['stream-0', 'stream-0']);
  });

  it('A2ACLI_TASK_SUBSCRIBE_002: a stream of 2,000 chunks that is cut at 100 positions arrives whole, each chunk once', async () => {
    const positions = new Set(Array.from({ length: 100 }, (_unused, at) => 1 + ((at * 7919) % 1999)));
    const cuts = new Set(positions);
    async function* from(first: number): AsyncGenerator<StreamedEvent> {
      for (let seq = first; seq <= 2001; seq += 1) {
        if (cuts.delete(seq)) throw cut;
        yield { id: String(seq), event: seq === 0 ? working : seq === 2001 ? done : chunkOf(seq) };
      }
    }
    const opened: number[] = [];
    const client = {
      streamMessage: () => from(0),
      subscribe: (_params: object, { after }: { after?: string }) => {
        opened.push(Number(after));
        return from(Number(after) + 1);
      },
      getTask: async () => task('TASK_STATE_COMPLETED'),
    } as unknown as AgentClient;
    const texts: unknown[] = [];
    const onEvent = (event: RemoteEvent): void => {
      if ('artifactUpdate' in event) texts.push(event.artifactUpdate.artifact.parts[0]);
    };
    await new Waiting(client, options({ onEvent, timeoutMs: 20_000 })).send(MESSAGE);
    expect(texts).toEqual(Array.from({ length: 2000 }, (_unused, at) => ({ text: String(at + 1) })));
    expect(opened).toHaveLength(positions.size);
  });

  it('polls where an agent that cannot resume begins each stream and breaks it', async () => {
    const broken = Array.from({ length: 9 }, () => [working, cut] as const);
    const { client, calls } = agent([[working, cut], ...broken], ['TASK_STATE_COMPLETED']);
    await new Waiting(client, options({ canResume: false })).send(MESSAGE);
    expect(calls.filter((one) => one === 'subscribe')).toHaveLength(5);
  });

  it('sends no event id to an agent that has not declared that it resumes', async () => {
    const { client, opened } = agent([[working, cut], [done]], ['TASK_STATE_COMPLETED']);
    await new Waiting(client, options({ canResume: false })).send(MESSAGE);
    expect(opened).toEqual([undefined]);
  });

  it('A2ACLI_TASK_POLL_004: polls where streams break again and again, through outages', async () => {
    const broken = Array.from({ length: 9 }, () => [cut] as const);
    const { client, calls } = agent([[working, cut], ...broken], [cut, 'TASK_STATE_WORKING', 'TASK_STATE_COMPLETED']);
    expect(await new Waiting(client, options()).send(MESSAGE)).toEqual({ task: task('TASK_STATE_COMPLETED') });
    expect(calls.filter((one) => one === 'get')).toHaveLength(3);
  });

  it.each(['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_AUTH_REQUIRED'] as const)(
    'A2ACLI_TASK_POLL_003: stops at %s, and not at a state that it does not know',
    async (state) => {
      const { client, calls } = agent([], ['TASK_STATE_UNSPECIFIED', 'TASK_STATE_WORKING', state]);
      expect(await new Waiting(client, options({ canStream: false })).follow('t')).toEqual(task(state));
      expect(calls).toHaveLength(3);
    },
  );

  it('A2ACLI_SEND_003: sends without a stream to an agent that does not stream after all', async () => {
    const refusal = { kind: 'UnsupportedOperation', code: -32004, message: 'no' } as const;
    const { client, calls } = agent([[new RemoteError('refused', 'no', { fault: refusal })]], ['TASK_STATE_COMPLETED']);
    await new Waiting(client, options()).send(MESSAGE);
    expect(calls).toEqual(['stream', 'send', 'get']);
  });

  it('never sends a message twice: a stream that breaks before its first event is a failure', async () => {
    const { client, calls } = agent([[cut]], ['TASK_STATE_COMPLETED']);
    await expect(new Waiting(client, options()).send(MESSAGE)).rejects.toBe(cut);
    expect(calls).toEqual(['stream']);
  });

  it('subscribes again where a connection is silent, and not while it has comments (B22)', async () => {
    const opened: ((response: ServerResponse) => void)[] = [
      // A connection that is gone without a word: nothing comes, and no end.
      (response) => response.write(frame(working)),
      (response) => {
        const comments = setInterval(() => response.write(':\n\n'), 20);
        response.once('close', () => clearInterval(comments));
        setTimeout(() => response.end(frame(done)), 1_800);
      },
    ];
    const asked: string[] = [];
    const server = createServer(({ url = '' }, response) => {
      asked.push(url);
      const isStream = url.endsWith(':subscribe');
      response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' }).flushHeaders();
      if (isStream) opened.shift()?.(response);
      else response.end(JSON.stringify(task('TASK_STATE_COMPLETED')));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const endpoint = { url, binding: 'HTTP+JSON', codec: clientCodecV1, tenant: undefined } as const;
    const client = new AgentClient({ endpoint, http: new PlainHttp(), auth: NO_AUTH });
    try {
      await new Waiting(client, options({ timeoutMs: 20_000, silentMs: 600 })).follow('t');
      expect(asked).toEqual(['/tasks/t:subscribe', '/tasks/t:subscribe', '/tasks/t']);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('A2ACLI_TASK_POLL_002: ends at its timeout, and says how to continue', async () => {
    const { client } = agent([], ['TASK_STATE_WORKING']);
    const waiting = new Waiting(client, options({ canStream: false, timeoutMs: 30 })).follow('t');
    await expect(waiting).rejects.toMatchObject({
      ...{ code: 'A2ACLI_ERR_TIMEOUT', exit: 5 },
      details: { hint: 'parley task get --wait t' },
    });
  });
});
