/** Keys of what processes share about tool servers. */
export class ToolKeys {
  constructor(private readonly prefix: string) {}

  /** String: the era of a server for one credential. TTL a day. */
  era(server: string, credential: string): string {
    return `${this.prefix}:tool:{${server}}:era:${credential}`;
  }

  /** Hash: tenant → its sealed credential. No TTL: an operator sets and removes it. */
  secrets(server: string): string {
    return `${this.prefix}:tool:{${server}}:secrets`;
  }
}
