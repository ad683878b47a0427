import type { JSX } from 'preact';
import type { Tone } from '../view/format.js';

/** Paths of 16 × 16 line icons. */
const PATHS = {
  tasks: 'M3 4h10M3 8h10M3 12h6',
  ask: 'M3 3.5h10v7H8L5 13v-2.5H3zM8 5.2v2.2M8 8.9v.1',
  queue: 'M2.5 8h2m2 0h2m2 0h3M11 5.5 13.5 8 11 10.5',
  workers: 'M3 3.5h10v4H3zM3 9.5h10v3H3zM5.5 5.5h.01M5.5 11h.01',
  webhooks:
    'M6.5 6.5 9.5 9.5M5 11a2.1 2.1 0 0 1 0-3l1.5-1.5M11 5a2.1 2.1 0 0 1 0 3L9.5 9.5M8 4l1-1a2.8 2.8 0 0 1 4 4l-1 1M8 12l-1 1a2.8 2.8 0 0 1-4-4l1-1',
  play: 'M5 3.5v9l7.5-4.5z',
  agents: 'M3.5 6.5h9V13h-9zM8 3v3.5M6.2 9.5v.6M9.8 9.5v.6',
  bundle: 'M3 5.5 8 3l5 2.5v5L8 13l-5-2.5zM3 5.5 8 8l5-2.5M8 8v5',
  health: 'M2 8.5h3l1.5-4 3 7.5 1.5-3.5h3',
  me: 'M8 8a2.6 2.6 0 1 0 0-5.2A2.6 2.6 0 0 0 8 8zM3 13.4c.6-2.3 2.6-3.4 5-3.4s4.4 1.1 5 3.4',
  copy: 'M6 6h6.5v6.5H6zM3.5 10V3.5H10',
  check: 'M3.5 8.5 6.5 11.5 12.5 5',
  cross: 'M4 4l8 8M12 4l-8 8',
  warn: 'M8 3 14 13H2zM8 7v2.6M8 11.4v.1',
  lock: 'M4 7.5h8V13H4zM5.8 7.5V5.4a2.2 2.2 0 0 1 4.4 0v2.1',
  out: 'M6 3.5H3.5v9H6M7 8h6M10.5 5.5 13 8l-2.5 2.5',
  none: 'M3 8a5 5 0 1 0 10 0A5 5 0 0 0 3 8z',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }): JSX.Element {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" fill="none" stroke="currentColor" aria-hidden="true">
      <path d={PATHS[name]} stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  );
}

/** A shape for each state: none is distinguished by its colour alone. */
const SHAPES: Readonly<Record<Tone, JSX.Element>> = {
  submitted: (
    <circle cx="6" cy="6" r="3.5" fill="none" stroke="currentColor" stroke-width="1.5" stroke-dasharray="2 1.6" />
  ),
  working: <path d="M6 2a4 4 0 1 1-4 4" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" />,
  input: <path d="M2 2.5h8v5.5H6.5L4 10V8H2z" fill="currentColor" />,
  auth: (
    <path d="M3 5.5h6V10H3zM4.4 5.5V4a1.6 1.6 0 0 1 3.2 0v1.5" fill="none" stroke="currentColor" stroke-width="1.4" />
  ),
  completed: (
    <path
      d="M2.5 6.4 5 8.9l4.5-5"
      fill="none"
      stroke="currentColor"
      stroke-width="1.75"
      stroke-linecap="round"
      stroke-linejoin="round"
    />
  ),
  failed: <path d="M3 3l6 6M9 3l-6 6" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" />,
  canceled: <path d="M2.5 6h7" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" />,
  rejected: (
    <path d="M6 2a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM3.2 8.8l5.6-5.6" fill="none" stroke="currentColor" stroke-width="1.4" />
  ),
};

export function ToneIcon({ tone }: { readonly tone: Tone }): JSX.Element {
  return (
    <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
      {SHAPES[tone]}
    </svg>
  );
}
