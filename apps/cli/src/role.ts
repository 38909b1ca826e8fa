import { UsageError } from '@mergexo/core/basics';

export const ROLES = ['poller', 'worker', 'dashboard'] as const;
/** The only program that runs on this machine or in this container. */
export type Role = (typeof ROLES)[number];

/** Returns the role from --role or MERGEXO_ROLE, which the container's services set. Undefined if all programs run here. */
export function readRole(
  option: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Role | undefined {
  const name = option ?? (env['MERGEXO_ROLE'] || undefined);
  if (name === undefined) return undefined;
  const role = ROLES.find((known) => known === name);
  if (role === undefined)
    throw new UsageError(`The role must be ${ROLES.join(', ')}, not ${JSON.stringify(name)}.`);
  return role;
}
