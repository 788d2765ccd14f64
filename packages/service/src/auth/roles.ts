import type { Role } from '../settings/service-settings.ts';

const RANKS: Readonly<Record<Role, number>> = { reader: 0, operator: 1, admin: 2 };

/** Returns whether a role includes the permissions of the needed role. Each role includes all lower roles. */
export function mayDo(role: Role, needed: Role): boolean {
  return RANKS[role] >= RANKS[needed];
}
