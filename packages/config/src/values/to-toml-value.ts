import { stringify } from 'smol-toml';

/** A value as TOML writes it on the right of the equals sign. */
export function toTomlValue(value: unknown): string {
  return stringify({ value })
    .replace(/^value = /, '')
    .trimEnd();
}
