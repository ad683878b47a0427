import { Redis } from 'ioredis';

/**
 * A connection that sends the commands of one turn of the event loop in one write: under load a system call for each is
 * what a command costs most. Nothing waits for it, since the turn's end is the next thing that happens.
 */
export class JoinedRedis extends Redis {
  private joined: Redis['stream'] | undefined;

  override sendCommand(...parameters: Parameters<Redis['sendCommand']>): ReturnType<Redis['sendCommand']> {
    const { stream } = this;
    // There is no stream before the first connection is made, whatever the type says.
    if (stream !== this.joined && this.status === 'ready') {
      this.joined = stream;
      stream.cork();
      setImmediate(() => {
        this.joined = undefined;
        stream.uncork();
      });
    }
    return super.sendCommand(...parameters);
  }
}
