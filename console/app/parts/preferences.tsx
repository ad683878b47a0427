import type { JSX } from 'preact';
import { timeMode } from '../format.js';
import { type Theme, theme, THEMES, wantsContrast } from '../theme.js';

/** How the pages look to this user; kept in this browser. */
export function Preferences(): JSX.Element {
  return (
    <div class="options">
      <label class="row">
        Theme
        <select
          value={theme.value}
          onChange={({ currentTarget }) => {
            theme.value = currentTarget.value as Theme;
          }}
        >
          {THEMES.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </label>
      <label class="row">
        <input
          type="checkbox"
          checked={wantsContrast.value}
          onChange={({ currentTarget }) => {
            wantsContrast.value = currentTarget.checked;
          }}
        />
        High contrast
      </label>
      <label class="row">
        <input
          type="checkbox"
          checked={timeMode.value === 'exact'}
          onChange={({ currentTarget }) => {
            timeMode.value = currentTarget.checked ? 'exact' : 'age';
          }}
        />
        Exact times
      </label>
    </div>
  );
}
