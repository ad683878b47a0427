import { MAX_ANSWER_BYTES, tooLarge } from '@parley/sdk/model/provider-answer.js';
import type { ModelTransport } from '../openai/openai.model.js';

/** The `fetch` of a library, over our own client: POST only, of the address that the operator has named, with a bound of bytes. */
export function guardedFetch(transport: ModelTransport): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    // Which library calls, in which version, is nobody's business.
    request.headers.delete('user-agent');
    const { status, headers, body } = await transport.open({
      url: request.url,
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
      signal: request.signal,
    });
    return new Response(ReadableStream.from(bounded(body)) as ReadableStream<Uint8Array>, { status, headers });
  };
}

async function* bounded(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > 2 * MAX_ANSWER_BYTES) throw tooLarge();
    yield piece;
  }
}
