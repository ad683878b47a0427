import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { GrpcStream, type WritableCall } from './grpc-stream.js';

/** A call whose reader takes messages only when told. */
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
    const stream = new GrpcStream(call);
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

  it('is silent after its reader has gone (A2A-STRM-06)', async () => {
    const call = new SlowCall();
    call.cancelled = true;
    const stream = new GrpcStream(call);
    await stream.send(MESSAGE);
    stream.fail({ message: 'too late' });
    stream.end();
    expect(call).toMatchObject({ written: [], ended: false });
  });

  it('ends once', () => {
    const call = new SlowCall();
    const errors: unknown[] = [];
    call.on('error', (error) => errors.push(error));
    const stream = new GrpcStream(call);
    stream.fail({ message: 'first' });
    stream.fail({ message: 'second' });
    stream.end();
    expect(errors).toEqual([{ message: 'first' }]);
    expect(call.ended).toBe(false);
  });
});
