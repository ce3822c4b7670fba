const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `98 MB`, `1.4 GB`: decimal units. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 9.95 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** `8 s`, `3 min`, `2 h 5 min`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 59.5) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `3 minutes ago`. */
export function formatAge(date: Date, now: number = Date.now()): string {
  return `${formatSpan((now - date.getTime()) / 1000)} ago`;
}

/** `4 minutes from now`; `forever` beyond a century; `stopping...` in the past. */
export function formatUntil(date: Date, now: number = Date.now()): string {
  const seconds = (date.getTime() - now) / 1000;
  if (!(seconds < 100 * 365 * 86_400)) return 'forever';
  return seconds < 0 ? 'stopping...' : `${formatSpan(seconds)} from now`;
}

function formatSpan(length: number): string {
  const seconds = Math.max(0, length);
  const steps: [limit: number, size: number, name: string][] = [
    [60, 1, 'second'],
    [3600, 60, 'minute'],
    [86_400, 3600, 'hour'],
    [86_400 * 14, 86_400, 'day'],
    [Number.POSITIVE_INFINITY, 86_400 * 7, 'week'],
  ];
  const [, size, name] = steps.find(([limit]) => seconds < limit)!;
  const count = Math.floor(seconds / size);
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

/** Columns as wide as their widest cell, with two spaces between them. Rows may have fewer cells. */
export function formatTable(rows: string[][]): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    rows.reduce((widest, row) => Math.max(widest, row[column]?.length ?? 0), 0),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** An indented table, as in help texts. */
export function formatList(rows: string[][]): string {
  return formatTable(rows).replace(/^(?=.)/gm, '  ');
}
