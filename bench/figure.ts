/** A measured claim, printed as a line of JSON. */
export interface Figure {
  name: string;
  value: number;
  /** The target, such as `>= 0.97` or `<= 2`. Without one the figure is only reported. */
  aim?: string;
}

export function printFigure({ name, value, aim }: Figure): boolean {
  const rounded = Number(value.toPrecision(4));
  const pass = aim === undefined || reachesTarget(value, aim);
  console.log(JSON.stringify({ name, value: rounded, aim: aim ?? null, pass }));
  return pass;
}

function reachesTarget(value: number, aim: string): boolean {
  const [, sign, limit] = /^(<=|>=) ([\d.]+)$/.exec(aim) ?? [];
  if (!sign) throw new Error(`not an aim: ${aim}`);
  return sign === '<=' ? value <= Number(limit) : value >= Number(limit);
}
