import { literally } from '../platform/redis/scan-keys.js';

/** Keys of the shared state of tool servers. */
export class ToolKeys {
  constructor(private readonly prefix: string) {}

  /** String: the era of a server for one credential. TTL a day. */
  era(server: string, credential: string): string {
    return `${this.prefix}:tool:{${server}}:era:${credential}`;
  }

  /** A pattern for the credentials of all servers, for operators. */
  get everySecrets(): string {
    return `${literally(this.prefix)}:tool:{*}:secrets`;
  }

  /** The server of a key of credentials. */
  serverOf(secrets: string): string {
    return /\{([^}]*)\}:secrets$/.exec(secrets)?.[1] ?? '';
  }

  /** Hash: tenant → its sealed credential. No TTL: an operator sets and removes it. */
  secrets(server: string): string {
    return `${this.prefix}:tool:{${server}}:secrets`;
  }
}
