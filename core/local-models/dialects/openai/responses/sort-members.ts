/**
 * Sorts the members of all objects in a value by key, as Go prints maps.
 * @param except an object inside the value that stays unsorted
 */
export function sortMembers(value: unknown, except?: unknown): unknown {
  if (typeof value !== 'object' || value === null || value === except) return value;
  if (Array.isArray(value)) return value.map((item) => sortMembers(item, except));
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([key, member]) => [key, sortMembers(member, except)]));
}
