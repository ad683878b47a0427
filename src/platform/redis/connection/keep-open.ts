import type { Cluster, Redis } from 'ioredis';

type Client = Redis | Cluster;

/** Pause before an ended connection is opened again, ms. Commands are refused meanwhile. */
const REOPEN_MS = 100;

const closed = new WeakSet<Client>();

/** Whether a connection kept by `keepOpen` was closed by its user. */
export function isClosed(client: Client): boolean {
  return closed.has(client);
}

/** The methods that open and close a connection, for a server and a Cluster alike. */
interface Openable {
  connect: () => Promise<void>;
  disconnect: (reconnect?: boolean) => void;
  quit: (...values: unknown[]) => Promise<unknown>;
  duplicate: (...values: unknown[]) => Client;
}

/**
 * Reopens a connection, and its duplicates, whenever it ends without `close`. ioredis reconnects by itself, but has a
 * final state `end`, in which every command is refused; a failover, a failed handshake or a library can lead there by
 * accident.
 * @param onCopy called with each duplicate
 */
export function keepOpen(client: Client, onCopy: (copy: Client) => void = () => undefined): Client {
  const methods = client as unknown as Openable;
  const { connect, disconnect, quit, duplicate } = methods;
  let timer: NodeJS.Timeout | undefined;
  const close = (): void => {
    closed.add(client);
    clearTimeout(timer);
  };
  methods.connect = () => {
    closed.delete(client);
    return connect.call(client);
  };
  methods.disconnect = (reconnect = false) => {
    if (!reconnect) close();
    disconnect.call(client, reconnect);
  };
  methods.quit = (...values) => {
    close();
    return quit.apply(client, values);
  };
  methods.duplicate = (...values) => {
    const copy = keepOpen(duplicate.apply(client, values), onCopy);
    onCopy(copy);
    return copy;
  };
  client.on('end', () => {
    if (isClosed(client)) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      // A failed attempt is an `error` and another `end`.
      if (client.status === 'end') methods.connect().catch(() => undefined);
    }, REOPEN_MS).unref();
  });
  return client;
}
