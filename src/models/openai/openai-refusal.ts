import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { loggedText } from '@parley/sdk/model/provider-answer.js';

/** A server's reasons for refusing a request. */
export interface Refusal {
  /** For the log: at most 500 printable characters. */
  readonly message: string;
  /** The member of the request that it concerns. */
  readonly param: string;
  /** The server's word for the reason. */
  readonly code: string;
}

const MAX_BODY_BYTES = 65_536;

/** Reads the body of a refusal as far as its message needs, and releases its connection. */
export async function readRefusal(body: AsyncIterable<Buffer>): Promise<Refusal> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of body) {
    pieces.push(piece);
    length += piece.length;
    if (length >= MAX_BODY_BYTES) break;
  }
  return refusalIn(Buffer.concat(pieces).toString());
}

/** Whether a refusal concerns the name of the limit: by its parameter, or by a message that names it. */
export function isAboutLimit({ message, param }: Refusal, limit: string): boolean {
  return param === limit || new RegExp(`\\b${limit}\\b`).test(message);
}

/** OpenAI has `{"error":{"message","param"}}`, others `{"message"}`, `{"detail"}` or a text. */
function refusalIn(text: string): Refusal {
  const body = parsed(text);
  if (!isJsonObject(body)) return { message: loggedText(text), param: '', code: '' };
  const error = isJsonObject(body.error) ? body.error : body;
  const { message = body.message ?? body.detail ?? body.error, param } = error;
  const code = [error.code, error.type].filter((word) => typeof word === 'string').join(' ');
  return {
    code: loggedText(code),
    message: loggedText(typeof message === 'string' ? message : JSON.stringify(message ?? '')),
    param: typeof param === 'string' ? param : '',
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
