import { Redis } from 'ioredis';
import { CommandDeadlines } from './command-deadlines.js';

/**
 * A connection that sends the commands of one turn of the event loop in one write: under load a system call for each is what a
 * command costs most. Nothing waits for it, since the turn's end is the next thing that happens.
 *
 * `commandTimeout` is about Redis and not about this process: after a turn that took longer, at a start for example, what
 * has been answered meanwhile is read first.
 */
export class JoinedRedis extends Redis {
  private readonly deadlines = this.takeTimeout();
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
    const answer = super.sendCommand(...parameters);
    const [command] = parameters;
    // After a reconnect ioredis subscribes again by itself and awaits nothing: a late rejection would end the process. The command
    // is sent again with the next connection, and an answer that is late counts.
    if (command.name === 'subscribe') command.promise.catch(() => undefined);
    if (this.deadlines !== undefined && !command.isSettled) this.deadlines.add(command);
    return answer;
  }

  /** Its commands would come back with ioredis's own timer otherwise. */
  private takeTimeout(): CommandDeadlines | undefined {
    const { commandTimeout } = this.options;
    delete this.options.commandTimeout;
    return commandTimeout === undefined ? undefined : new CommandDeadlines(commandTimeout);
  }
}
