import type { Role } from '../settings/service-settings.ts';

const RANKS: Readonly<Record<Role, number>> = { reader: 0, operator: 1, admin: 2 };

/** Whether a role includes the permissions of another: each role may do everything that the lower ones may. */
export function mayDo(role: Role, needed: Role): boolean {
  return RANKS[role] >= RANKS[needed];
}
