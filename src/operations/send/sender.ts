import type { Principal } from '../../auth/principal.js';
import type { MessageSender } from '../../tasks/questions/sender.store.js';

/** The caller of a request as the sender of its message. */
export function senderOf({ tenant, client, subject, scopes }: Principal): MessageSender {
  return {
    ...{ tenant, client },
    ...(subject === undefined ? {} : { subject }),
    scopes: scopes === 'all' ? [] : scopes,
  };
}
