const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** The directives of `strftime` that templates use; `%-d` leaves out the zero. Other ones stay as they are. */
export function strftime(format: string, now: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const month = MONTHS[now.getMonth()]!;
  const day = DAYS[now.getDay()]!;
  const parts: Record<string, string> = {
    Y: String(now.getFullYear()),
    y: two(now.getFullYear() % 100),
    m: two(now.getMonth() + 1),
    d: two(now.getDate()),
    H: two(now.getHours()),
    M: two(now.getMinutes()),
    S: two(now.getSeconds()),
    I: two(now.getHours() % 12 || 12),
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
