import { ApiError } from '../basics/api-error.js';
import { Level } from '../store/rows.js';
import { type Access, includes } from './installations.js';
import type { Need } from './route-permissions.js';

export function hasGrant({ permissions }: Access, need: Need): boolean {
  const [name = '', level] = need.split('=');
  return includes(permissions, name, Level.parse(level));
}

/** Returns the first of these permissions that the token has. Throws GitHub's refusal if it has none. */
export function useGrant(access: Access, needs: readonly Need[]): Need {
  const used = needs.find((need) => hasGrant(access, need));
  if (used) return used;
  throw new ApiError(403, 'Resource not accessible by integration');
}
