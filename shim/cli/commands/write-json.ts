import type { Arguments } from '../arguments.ts';
import type { Terminal } from '../progress.ts';
import type { CommandIo } from './command.ts';

export function writeJson(out: Terminal, value: unknown): void {
  out.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Writes the result of a command: a line of text, or with `--json` the value. */
export function writeResult(
  { args, io }: { args: Arguments; io: Pick<CommandIo, 'out'> },
  text: string,
  value: unknown,
): void {
  if (args.options.json) writeJson(io.out, value);
  else io.out.write(text);
}

/** The output for the progress of a command: none with `--json`, whose output is one JSON value. */
export function progressOutput({ args, io }: { args: Arguments; io: Pick<CommandIo, 'out'> }): Terminal {
  return args.options.json ? { write: () => true } : io.out;
}
