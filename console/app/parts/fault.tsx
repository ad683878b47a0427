import type { JSX } from 'preact';
import type { Fault as RunFault } from '../api/types.js';
import { Foreign } from './content/hostile-text.js';
import { Copy } from './small.js';

/** The error that has broken a run. */
export function Fault({ of: { type, message, reference } }: { readonly of: RunFault }): JSX.Element {
  return (
    <>
      <strong>
        <Foreign text={type} />
      </strong>
      : <Foreign text={message} />
      {reference === undefined ? null : (
        <span class="small">
          {' '}
          Reference <code>{reference}</code> <Copy text={reference} what="the reference" />
        </span>
      )}
    </>
  );
}
