import type { Role } from '../settings/service-settings.ts';

const RANKS: Readonly<Record<Role, number>> = { reader: 0, operator: 1, admin: 2 };

/** Whether somebody of this role may do what needs that one: each role may do what the one below may. */
export function mayDo(role: Role, needed: Role): boolean {
  return RANKS[role] >= RANKS[needed];
}
