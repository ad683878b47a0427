import type { JSX } from 'preact';

/** The sign of the service. */
export function Mark(): JSX.Element {
  return (
    <svg width="24" height="24" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#0f5e6b" />
      <path d="M9 24V9h8.2a5.3 5.3 0 0 1 0 10.6H13V24z" fill="#fff" />
      <circle cx="23" cy="22" r="2.4" fill="#f2c27a" />
    </svg>
  );
}
