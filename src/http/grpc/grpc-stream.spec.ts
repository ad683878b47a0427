import { EventEmitter } from 'node:events';
import { status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { StreamMemory } from '../sse/stream-memory.js';
import { GrpcStream, type WritableCall } from './grpc-stream.js';

/** A call whose reader accepts messages only on request. */
class SlowCall extends EventEmitter implements WritableCall {
  cancelled = false;
  destroyed = false;
  ended = false;
  readonly written: Buffer[] = [];

  write(message: Buffer): boolean {
    this.written.push(message);
    return false;
  }

  end(): void {
    this.ended = true;
  }
}

const MESSAGE = Buffer.from('x');

describe(GrpcStream.name, () => {
  it.each(['drain', 'cancelled', 'close'])('waits for its reader until %s', async (event) => {
    const call = new SlowCall();
    const stream = new GrpcStream(call, new StreamMemory());
    let sent = false;
    const sending = stream.send(MESSAGE).then(() => {
      sent = true;
    });
    await Promise.resolve();
    expect(sent).toBe(false);
    call.emit(event);
    await sending;
    expect(call.listenerCount('drain')).toBe(0);
  });

  it('cuts a reader that holds a large message when others need the memory', async () => {
    const call = new SlowCall();
    const errors: unknown[] = [];
    call.on('error', (error) => errors.push(error)).once('error', () => call.emit('close'));
    const memory = new StreamMemory(200_000);
    const sending = new GrpcStream(call, memory).send(Buffer.alloc(150_000));
    memory.hold(100_000, () => undefined);
    await sending;
    expect(errors).toMatchObject([{ code: status.ABORTED }]);
  });

  it('is silent after its reader has gone (A2A-STRM-06)', async () => {
    const call = new SlowCall();
    call.cancelled = true;
    const stream = new GrpcStream(call, new StreamMemory());
    await stream.send(MESSAGE);
    stream.fail({ message: 'too late' });
    stream.end();
    expect(call).toMatchObject({ written: [], ended: false });
  });

  it('ends once', () => {
    const call = new SlowCall();
    const errors: unknown[] = [];
    call.on('error', (error) => errors.push(error));
    const stream = new GrpcStream(call, new StreamMemory());
    stream.fail({ message: 'first' });
    stream.fail({ message: 'second' });
    stream.end();
    expect(errors).toEqual([{ message: 'first' }]);
    expect(call.ended).toBe(false);
  });
});
