import { Redis } from 'ioredis';
import { CommandDeadlines } from './command-deadlines.js';
import { ScriptCommand } from './script-command.js';

/** Redis begins with so many commands while this process goes on with its turn. */
const WRITTEN_AT_ONCE = 16;

/**
 * A connection that sends the commands of one turn of the event loop in one write, or in a few where they are many: under load a
 * system call for each is what a command costs most. Nothing waits for it, since the turn's end is the next thing that happens.
 *
 * `commandTimeout` is about Redis and not about this process: after a turn that took longer, at a start for example, what
 * has been answered meanwhile is read first.
 */
export class JoinedRedis extends Redis {
  private readonly deadlines = this.takeTimeout();
  private joined: Redis['stream'] | undefined;
  /** Commands that wait for their write. */
  private waiting = 0;

  /** Of texts and numbers. */
  override evalsha(...values: unknown[]): Promise<unknown> {
    return this.sendCommand(new ScriptCommand(values)) as Promise<unknown>;
  }

  override sendCommand(...parameters: Parameters<Redis['sendCommand']>): ReturnType<Redis['sendCommand']> {
    const { stream } = this;
    // There is no stream before the first connection is made, whatever the type says.
    if (stream !== this.joined && this.status === 'ready') {
      this.joined = stream;
      this.waiting = 0;
      stream.cork();
      setImmediate(() => {
        this.joined = undefined;
        stream.uncork();
      });
    }
    const answer = super.sendCommand(...parameters);
    if (this.joined !== undefined) this.writeMany();
    const [command] = parameters;
    // After a reconnect ioredis subscribes again by itself and awaits nothing: a late rejection would end the process. The command
    // is sent again with the next connection, and an answer that is late counts.
    if (command.name === 'subscribe') command.promise.catch(() => undefined);
    if (this.deadlines !== undefined && !command.isSettled) this.deadlines.add(command);
    return answer;
  }

  /** Writes the commands of this turn so far. */
  writeNow(): void {
    this.waiting = 0;
    this.joined?.uncork();
    this.joined?.cork();
  }

  private writeMany(): void {
    this.waiting += 1;
    if (this.waiting >= WRITTEN_AT_ONCE) this.writeNow();
  }

  /** Its commands would come back with ioredis's own timer otherwise. */
  private takeTimeout(): CommandDeadlines | undefined {
    const { commandTimeout } = this.options;
    delete this.options.commandTimeout;
    return commandTimeout === undefined ? undefined : new CommandDeadlines(commandTimeout);
  }
}
