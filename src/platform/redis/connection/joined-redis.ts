import { Redis } from 'ioredis';
import { CommandDeadlines } from './command-deadlines.js';

/**
 * A connection that sends the commands of one turn of the event loop in one write, which saves a system call per
 * command under load. This delays no command, since the write follows at the end of the turn.
 *
 * `commandTimeout` measures Redis and not this process: after a long turn, for example at a start, the replies that
 * arrived meanwhile are read first.
 */
export class JoinedRedis extends Redis {
  private readonly deadlines = this.takeTimeout();
  private joined: Redis['stream'] | undefined;

  override sendCommand(...parameters: Parameters<Redis['sendCommand']>): ReturnType<Redis['sendCommand']> {
    const { stream } = this;
    // The type is wrong: there is no stream before the first connection.
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
    // After a reconnect ioredis resubscribes by itself without awaiting it: a late rejection would end the process. The
    // command is sent again with the next connection, and a late answer counts.
    if (command.name === 'subscribe') command.promise.catch(() => undefined);
    if (this.deadlines !== undefined && !command.isSettled) this.deadlines.add(command);
    return answer;
  }

  /** ioredis' own timer would reject its commands otherwise. */
  private takeTimeout(): CommandDeadlines | undefined {
    const { commandTimeout } = this.options;
    delete this.options.commandTimeout;
    return commandTimeout === undefined ? undefined : new CommandDeadlines(commandTimeout);
  }
}
