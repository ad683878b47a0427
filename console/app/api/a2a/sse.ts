/** One event of an event stream (WHATWG Server-Sent Events), as the service writes them: one line of data. */
export interface SseEvent {
  readonly id: string | undefined;
  readonly data: string;
}

/** The events of a response, comments left out. EventSource cannot send headers, so the stream is read here. */
export async function* eventsOf(
  { body }: Response,
  onBytes: () => void = () => undefined,
): AsyncGenerator<SseEvent, void, void> {
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      onBytes();
      const blocks = (rest + piece.value).split('\n\n');
      rest = blocks.pop() ?? '';
      yield* blocks.flatMap(eventIn);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function eventIn(block: string): readonly SseEvent[] {
  const data = /^data: (.*)$/m.exec(block)?.[1];
  return data === undefined ? [] : [{ id: /^id: (.*)$/m.exec(block)?.[1], data }];
}
