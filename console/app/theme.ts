import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';
export const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

const KEY = 'parley.theme';
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const contrast = window.matchMedia('(prefers-contrast: more)');

export const theme = signal<Theme>(THEMES.find((one) => one === localStorage.getItem(KEY)) ?? 'system');
const isDark = signal(dark.matches);
const isStrong = signal(contrast.matches);

/** Sets the theme on the page, now and when the user or the system changes it. */
export function followTheme(): void {
  dark.addEventListener('change', ({ matches }) => {
    isDark.value = matches;
  });
  contrast.addEventListener('change', ({ matches }) => {
    isStrong.value = matches;
  });
  effect(() => {
    const { dataset } = document.documentElement;
    dataset.theme = theme.value === 'system' ? (isDark.value ? 'dark' : 'light') : theme.value;
    dataset.contrast = isStrong.value ? 'more' : 'normal';
    localStorage.setItem(KEY, theme.value);
  });
}
