import { blockOf } from '@parley/client/address/ip-address.js';
import { ModelFault } from '@parley/sdk/model/model-fault.js';
import type { AllowEntry } from '../../outbound/allow-list.js';
import { BlockedAddressError } from '../../outbound/egress.errors.js';
import { GuardedClient } from '../../outbound/guarded-client.js';
import { isEgressError } from '../../outbound/transport-fault.js';
import type { ModelTransport } from '../openai/openai.model.js';

/** Deadlines of one answer, ms. */
export interface AnswerTimes {
  /** Until its first byte. */
  readonly firstMs: number;
  /** Between two pieces. */
  readonly idleMs: number;
  /** For the whole of it. */
  readonly totalMs: number;
}

/** Calls the host of a provider, wherever it is: the operator has named it. Metadata addresses stay closed. */
export function modelClient(url: string): GuardedClient {
  return new GuardedClient({ ports: [443], allowHttp: false, allow: entriesOf(new URL(url)) });
}

/** The way to a provider, with the faults of a model. */
export function guardedTransport(client: GuardedClient, { firstMs, idleMs, totalMs }: AnswerTimes): ModelTransport {
  return {
    async open({ signal, ...request }) {
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), firstMs);
      const either = AbortSignal.any([signal, late.signal]);
      const fault = (error: unknown): unknown => {
        signal.throwIfAborted();
        return late.signal.aborted
          ? new ModelFault('unavailable', 'The model has not begun to answer in time')
          : faultOf(error);
      };
      try {
        const deadlines = { headers: firstMs, idle: idleMs, total: totalMs };
        const answer = await client.open({ method: 'POST', ...request, signal: either, deadlines });
        return { ...answer, body: piecesOf(answer.body, { begun: () => clearTimeout(timer), fault }) };
      } catch (error) {
        clearTimeout(timer);
        throw fault(error);
      }
    },
  };
}

/** All addresses of the host, but for those that are never allowed. */
function entriesOf({ protocol, hostname, port }: URL): readonly AllowEntry[] {
  const host = hostname.replace(/^\[|\]$/g, '');
  const usual = protocol === 'https:' ? 443 : 80;
  return ['0.0.0.0/0', '::/0'].map((cidr) => ({
    ...{ host, port: port === '' ? usual : Number(port), block: blockOf(cidr), plainHttp: protocol === 'http:' },
  }));
}

async function* piecesOf(
  body: AsyncIterable<Buffer>,
  { begun, fault }: { readonly begun: () => void; readonly fault: (error: unknown) => unknown },
): AsyncGenerator<Buffer, void, void> {
  try {
    for await (const piece of body) {
      begun();
      yield piece;
    }
  } catch (error) {
    throw fault(error);
  } finally {
    begun();
  }
}

function faultOf(cause: unknown): unknown {
  if (cause instanceof BlockedAddressError) {
    return new ModelFault('refused', 'The address of the model may not be called', { cause });
  }
  return isEgressError(cause) ? new ModelFault('unavailable', 'The model did not answer', { cause }) : cause;
}
