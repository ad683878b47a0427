import type { JSX } from 'preact';
import { live } from '../../api/feed/feed.js';

/** Whether the shown data is current. */
export function Live(): JSX.Element | null {
  // The screen itself says that it may not be seen.
  if (live.value === 'refused') return null;
  const words = { connecting: 'Connecting', on: 'Live', off: 'Connection lost, trying again' };
  return (
    <span class={`live ${live.value}`} role="status">
      <i />
      {words[live.value]}
    </span>
  );
}
