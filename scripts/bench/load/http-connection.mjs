// A connection of the load generator. Written for it: a client library's request costs more than the answer of a fast system, on
// cores that the two share.
import { once } from 'node:events';
import { connect } from 'node:net';

const HEAD_END = '\r\n\r\n';
/** A system that is silent for this long is broken, and the run ends. */
const SILENCE_MS = 60_000;

/** One kept-alive connection, one request at a time, to a server that states a length or sends chunks. */
export class HttpConnection {
  #socket;
  #head;
  #answer = new AnswerReader();
  #settle;

  constructor(socket, head) {
    this.#socket = socket;
    this.#head = head;
    socket.setEncoding('latin1');
    socket.setTimeout(SILENCE_MS, () => socket.destroy(new Error(`No answer within ${SILENCE_MS} ms`)));
    socket.on('data', (text) => this.#read(text));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('The connection was closed before its answer')));
  }

  /** Its requests have this method, URL and headers. */
  static async open({ url, method, headers }) {
    const { hostname, port, host, pathname, search } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, 'connect');
    const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    return new HttpConnection(socket, `${method} ${pathname}${search} HTTP/1.1\r\n${lines.join('')}`);
  }

  /** Gives the status and the body, bytes as Latin-1. @param body '' for none */
  send(body) {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      const length = body === '' ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
      this.#socket.write(`${this.#head}${length}\r\n${body}`);
    });
  }

  close() {
    this.#socket.destroy();
  }

  #read(text) {
    const answer = this.#answer.take(text);
    if (answer === undefined) return;
    const { resolve } = this.#settle;
    this.#settle = undefined;
    resolve(answer);
  }

  #fail(error) {
    this.#settle?.reject(error);
    this.#settle = undefined;
  }
}

/** Puts together answers of HTTP/1.1 from pieces as they come. */
export class AnswerReader {
  #pieces = [];
  #length = 0;
  /** Length of the whole answer; undefined before its head is there, and where it comes in chunks. */
  #whole;
  /** Where the next chunk begins; undefined where there are none. */
  #chunk;

  /** The answer that ends with this piece. @returns {{ status: number, body: string } | undefined} */
  take(piece) {
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#whole === undefined && this.#chunk === undefined) this.#readHead();
    if (this.#chunk !== undefined) this.#readChunks();
    if (this.#whole === undefined || this.#length < this.#whole) return undefined;
    const text = this.#text();
    [this.#pieces, this.#length, this.#whole, this.#chunk] = [[], 0, undefined, undefined];
    return { status: Number(text.slice(9, 12)), body: text.slice(text.indexOf(HEAD_END) + HEAD_END.length) };
  }

  #readHead() {
    const text = this.#text();
    const end = text.indexOf(HEAD_END);
    if (end < 0) return;
    const head = text.slice(0, end);
    const length = /\ncontent-length: *(\d+)/i.exec(head);
    if (length === null) this.#chunk = end + HEAD_END.length;
    else this.#whole = end + HEAD_END.length + Number(length[1]);
  }

  /** `<length, hexadecimal>\r\n<bytes>\r\n`, the last one of length 0. */
  #readChunks() {
    if (this.#length < this.#chunk) return;
    const text = this.#text();
    for (
      let lengthEnd = text.indexOf('\r\n', this.#chunk);
      lengthEnd >= 0;
      lengthEnd = text.indexOf('\r\n', this.#chunk)
    ) {
      const length = Number.parseInt(text.slice(this.#chunk, lengthEnd), 16);
      this.#chunk = lengthEnd + 2 + length + 2;
      if (length === 0) this.#whole = this.#chunk;
      if (length === 0 || this.#chunk > text.length) return;
    }
  }

  #text() {
    if (this.#pieces.length > 1) this.#pieces = [this.#pieces.join('')];
    return this.#pieces[0];
  }
}
