/** `workerCount` → `worker_count`. The schema says camelCase; the file's spelling follows from it mechanically. */
export function toTomlKey(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
