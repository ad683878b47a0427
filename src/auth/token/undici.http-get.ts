import { request, type Dispatcher } from 'undici';
import { HttpGet, type HttpGetAnswer, type HttpGetLimits } from './http-get.js';

/** Fetches with undici, which follows no redirect by itself. The dispatcher decides which addresses may be reached. */
export class UndiciHttpGet extends HttpGet {
  constructor(private readonly dispatcher?: Dispatcher) {
    super();
  }

  override async get(url: string, { timeoutMs, maxBytes }: HttpGetLimits): Promise<HttpGetAnswer> {
    const signal = AbortSignal.timeout(timeoutMs);
    const dispatcher = this.dispatcher === undefined ? {} : { dispatcher: this.dispatcher };
    const answer = await request(url, { signal, headers: { accept: 'application/json' }, ...dispatcher });
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of answer.body) {
      const bytes = Buffer.from(chunk as Uint8Array);
      size += bytes.length;
      if (size > maxBytes)
        throw new Error(`The answer of ${new URL(url).host} is larger than ${String(maxBytes)} bytes`);
      chunks.push(bytes);
    }
    return { status: answer.statusCode, body: Buffer.concat(chunks).toString('utf8') };
  }
}
