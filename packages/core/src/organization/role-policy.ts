import type { Role } from "./organization.ts"

const ranks: Readonly<Record<Role, number>> = { member: 0, admin: 1, owner: 2 }

/** Whether one role may do all that another may. */
export const coversRole = (role: Role, other: Role): boolean => ranks[role] >= ranks[other]
