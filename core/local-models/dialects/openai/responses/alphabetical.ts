/** The value with the members of its objects in alphabetical order, all the way down but for the objects in `except`. */
export function alphabetical(value: unknown, except?: unknown): unknown {
  if (typeof value !== 'object' || value === null || value === except) return value;
  if (Array.isArray(value)) return value.map((item) => alphabetical(item, except));
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([key, member]) => [key, alphabetical(member, except)]));
}
