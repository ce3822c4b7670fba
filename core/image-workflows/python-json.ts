/** JSON as Python's `json.dumps` prints it by default: ASCII only, `, ` and `: ` between things. */
export function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => `${quoted(key)}: ${pythonJson(member)}`)
      .join(', ')}}`;
  if (typeof value === 'string') return quoted(value);
  return JSON.stringify(value) ?? 'null';
}

function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
