import type { JSX } from 'preact';
import { live } from '../../api/feed/feed.js';

/** Whether what is shown is of this moment. */
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
