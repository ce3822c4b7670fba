const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** Formats a local time by the directives of `strftime` that templates use. `%-d` drops a leading zero. */
export function strftime(format: string, now: Date): string {
  const twoDigits = (number: number) => String(number).padStart(2, '0');
  const month = MONTHS[now.getMonth()]!;
  const day = DAYS[now.getDay()]!;
  const parts: Record<string, string> = {
    Y: String(now.getFullYear()),
    y: twoDigits(now.getFullYear() % 100),
    m: twoDigits(now.getMonth() + 1),
    d: twoDigits(now.getDate()),
    H: twoDigits(now.getHours()),
    M: twoDigits(now.getMinutes()),
    S: twoDigits(now.getSeconds()),
    I: twoDigits(now.getHours() % 12 || 12),
    p: now.getHours() < 12 ? 'AM' : 'PM',
    B: month,
    b: month.slice(0, 3),
    A: day,
    a: day.slice(0, 3),
    '%': '%',
  };
  return format.replace(/%-?([a-zA-Z%])/g, (all, letter: string) => {
    const part = parts[letter];
    return part === undefined ? all : all[1] === '-' ? part.replace(/^0/, '') : part;
  });
}
