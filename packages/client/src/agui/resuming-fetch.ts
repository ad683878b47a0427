/** A fetch as an `HttpAgent` of AG-UI takes it. */
export type PageFetch = (url: string, init: RequestInit) => Promise<Response>;

interface PageRequest extends RequestInit {
  readonly firstDelayMs: number;
}

/** Tries without a frame in between. */
const MAX_TRIES = 8;
const MAX_DELAY_MS = 10_000;

/**
 * A fetch for the `HttpAgent` of AG-UI whose streams survive the loss of their connection: it sends the same request
 * again with the id of the last frames, until the run has ended. Groups of frames that were cut are dropped, since they
 * come again.
 * @param firstDelayMs pause before the first try; doubled with each further one
 */
export function resumingFetch(
  inner: PageFetch = (url, init) => fetch(url, init),
  { firstDelayMs = 250 }: { readonly firstDelayMs?: number } = {},
): PageFetch {
  return async (url, given) => {
    const init = { ...given, firstDelayMs };
    const first = await again(() => inner(url, given), init);
    const isStream = first.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (!first.ok || !isStream || first.body === null) return first;
    const groups = groupsOf(first.body, init, (headers) => inner(url, { ...given, headers }));
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const next = await groups.next();
        if (next.done === true) controller.close();
        else controller.enqueue(encoder.encode(next.value));
      },
      cancel: async () => {
        await groups.return();
      },
    });
    return new Response(body, { status: first.status, headers: first.headers });
  };
}

async function* groupsOf(
  first: ReadableStream<Uint8Array>,
  init: PageRequest,
  resume: (headers: Headers) => Promise<Response>,
): AsyncGenerator<string, void, void> {
  const headers = new Headers(init.headers);
  let [body, retryMs, tries] = [first, 0, 0];
  for (;;) {
    const frames = framesOf(body);
    for (let group = ''; ;) {
      const frame = await frames.next().catch(() => undefined);
      if (init.signal?.aborted === true) throw new DOMException('The run was aborted', 'AbortError');
      if (frame === undefined || frame.done === true) break;
      retryMs = Number(/^retry: ?(\d+)/m.exec(frame.value)?.[1] ?? retryMs);
      group += frame.value;
      const id = /^id: ?(.*)$/m.exec(frame.value)?.[1];
      const isEnd = /^data: ?\{"type":"RUN_(?:FINISHED|ERROR)"/m.test(frame.value);
      if (id === undefined && !isEnd) continue;
      if (id !== undefined) headers.set('last-event-id', id);
      yield group;
      [group, tries] = ['', 0];
      if (isEnd) return;
    }
    tries += 1;
    if (tries > MAX_TRIES) throw new Error('The stream of the run was lost');
    await delay(retryMs === 0 ? backOff(tries, init) : retryMs, init);
    const response = await again(() => resume(headers), init, tries);
    if (!response.ok || response.body === null)
      throw new Error(`HTTP ${String(response.status)}: ${await response.text()}`);
    body = response.body;
  }
}

/** The first answer that is none of a server that is gone or full. */
async function again(send: () => Promise<Response>, init: PageRequest, tries = 0): Promise<Response> {
  const answer = await send().catch((error: unknown) => {
    if (tries >= MAX_TRIES || init.signal?.aborted === true) throw error;
    return undefined;
  });
  const isPassing = answer === undefined || [429, 502, 503, 504].includes(answer.status);
  if (answer !== undefined && (!isPassing || tries >= MAX_TRIES)) return answer;
  await delay(Number(answer?.headers.get('retry-after') ?? 0) * 1000 || backOff(tries + 1, init), init);
  return again(send, init, tries + 1);
}

/** Texts between empty lines; what follows the last one is cut. */
async function* framesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const texts = (rest + decoder.decode(part.value, { stream: true })).split('\n\n');
      rest = texts.pop() ?? '';
      for (const text of texts) yield `${text}\n\n`;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function backOff(tries: number, { firstDelayMs }: PageRequest): number {
  return Math.min(MAX_DELAY_MS, firstDelayMs * 2 ** (tries - 1)) * (0.5 + Math.random() / 2);
}

function delay(ms: number, { signal }: RequestInit): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
