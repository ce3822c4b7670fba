import type { Terminal } from '../progress.ts';

export function writeJson(out: Terminal, value: unknown): void {
  out.write(`${JSON.stringify(value, null, 2)}\n`);
}
