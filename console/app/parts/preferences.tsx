import type { JSX } from 'preact';
import { timeMode } from '../view/format.js';
import { type Theme, theme, THEMES, wantsContrast } from '../theme.js';
import { Check } from './form/check.js';

/** Appearance of the pages for this user; kept in this browser. */
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
      <Check
        isOn={wantsContrast.value}
        onChange={(isOn) => {
          wantsContrast.value = isOn;
        }}
      >
        High contrast
      </Check>
      <Check
        isOn={timeMode.value === 'exact'}
        onChange={(isOn) => {
          timeMode.value = isOn ? 'exact' : 'age';
        }}
      >
        Exact times
      </Check>
    </div>
  );
}
