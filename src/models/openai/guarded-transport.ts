import { blockOf } from '@parley/client/address/ip-address.js';
import { ModelFault } from '@parley/sdk/model/model-fault.js';
import type { AllowEntry } from '../../outbound/allow-list.js';
import { BlockedAddressError } from '../../outbound/egress.errors.js';
import { GuardedClient } from '../../outbound/guarded-client.js';
import { isEgressError } from '../../outbound/transport-fault.js';
import type { ModelTransport } from './openai.model.js';

/** Until a model begins to answer, and between two pieces of its answer, ms. */
const DEADLINES = { headers: 120_000, idle: 60_000 };

/** Calls the host of MODEL_URL, wherever it is: the operator has named it. Metadata addresses stay closed. */
export function modelClient(url: string): GuardedClient {
  return new GuardedClient({ ports: [443], allowHttp: false, allow: entriesOf(new URL(url)) });
}

/** The way to MODEL_URL, with the faults of a model. */
export function guardedTransport(url: string): ModelTransport {
  const client = modelClient(url);
  return {
    async open({ signal, ...request }) {
      try {
        const answer = await client.open({ method: 'POST', ...request, signal, deadlines: DEADLINES });
        return { ...answer, body: piecesOf(answer.body, signal) };
      } catch (error) {
        throw faultOf(error, signal);
      }
    },
  };
}

function entriesOf({ protocol, hostname, port }: URL): readonly AllowEntry[] {
  const host = hostname.replace(/^\[|\]$/g, '');
  const usual = protocol === 'https:' ? 443 : 80;
  return ['0.0.0.0/0', '::/0'].map((cidr) => ({
    ...{ host, port: port === '' ? usual : Number(port), block: blockOf(cidr), plainHttp: protocol === 'http:' },
  }));
}

async function* piecesOf(body: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer, void, void> {
  try {
    yield* body;
  } catch (error) {
    throw faultOf(error, signal);
  }
}

function faultOf(cause: unknown, signal: AbortSignal): unknown {
  signal.throwIfAborted();
  if (cause instanceof BlockedAddressError) return new ModelFault('refused', 'MODEL_URL may not be called', { cause });
  return isEgressError(cause) ? new ModelFault('unavailable', 'MODEL_URL did not answer', { cause }) : cause;
}
