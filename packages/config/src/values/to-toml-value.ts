import { stringify } from 'smol-toml';

/** Renders a TOML value without its key. */
export function toTomlValue(value: unknown): string {
  return stringify({ value })
    .replace(/^value = /, '')
    .trimEnd();
}
