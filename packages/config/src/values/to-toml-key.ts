/** Converts a camelCase schema name: `workerCount` → `worker_count`. */
export function toTomlKey(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
