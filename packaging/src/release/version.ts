const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-([a-z]+)\.(\d+))?$/;

/** Throws unless the version is newer than the current one. */
export function checkVersion(version: string, current: string): void {
  if (!VERSION.test(version))
    throw new Error(`${JSON.stringify(version)} is not a version. Use a form such as 0.2.0 or 0.2.0-rc.1.`);
  if (compareVersions(version, current) <= 0)
    throw new Error(`${version} is not newer than the current version, ${current}.`);
}

/** Negative if `a` is older than `b`. A prerelease is older than its release. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [toParts(a), toParts(b)];
  for (const [index, part] of left.entries()) {
    const other = right[index] ?? 0;
    if (part !== other) return part < other ? -1 : 1;
  }
  return 0;
}

function toParts(version: string): (number | string)[] {
  const [, major, minor, patch, tag, count] = VERSION.exec(version) ?? [];
  // A tilde sorts behind every letter, so a release follows its prereleases.
  return [Number(major), Number(minor), Number(patch), tag ?? '~', Number(count ?? 0)];
}
