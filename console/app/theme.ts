import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';
export const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

const KEY = 'parley.theme';
const CONTRAST_KEY = 'parley.contrast';
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const contrast = window.matchMedia('(prefers-contrast: more)');

export const theme = signal<Theme>(THEMES.find((one) => one === localStorage.getItem(KEY)) ?? 'system');
/** Whether the user asks for high contrast here; a system that asks for it has it anyway. */
export const wantsContrast = signal(localStorage.getItem(CONTRAST_KEY) === 'more');
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
    dataset.contrast = isStrong.value || wantsContrast.value ? 'more' : 'normal';
    localStorage.setItem(KEY, theme.value);
    localStorage.setItem(CONTRAST_KEY, wantsContrast.value ? 'more' : 'normal');
  });
}
