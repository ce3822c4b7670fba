import { type ChildProcess, spawn } from 'node:child_process';

/** The program is not there, or may not be run. */
export class ProgramMissing extends Error {
  override name = 'ProgramMissing';
}

/** It ended with an error. `lines`: what it said last, one at least. */
export class ProgramFailed extends Error {
  override name = 'ProgramFailed';
  constructor(readonly lines: readonly string[]) {
    super(lines.join('; '));
  }
}

export interface Run {
  /** What it reads, in pieces. It may end before it has read all. */
  input?: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** What it writes, in pieces. What this throws ends the program and is thrown on. */
  take?(piece: Uint8Array): void;
}

/**
 * Runs a program until it has ended. Rejects with `ProgramMissing`, `ProgramFailed`, what else kept it from starting, what `input` or
 * `take` threw, or the signal's reason; in every case the program has ended then.
 */
export async function runProgram(
  [program, ...args]: readonly [string, ...string[]],
  { input = [], take = () => {} }: Run,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const child = started(program, args);
  let failure: { reason: unknown } | undefined;
  const ended = new Promise<number | null>((resolve, reject) => {
    // Also what keeps it from being stopped, where why it should be says more.
    child.on('error', (error) => reject(failure ? failure.reason : notStarted(program, error)));
    child.once('close', resolve);
  });
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) {
    // There were no pipes left to give it: it has not started, which is told in a moment.
    await ended;
    return;
  }
  const stop = (reason: unknown) => {
    failure ??= { reason };
    child.kill('SIGKILL');
  };
  const aborted = () => stop(signal.reason);
  signal.addEventListener('abort', aborted, { once: true });
  let words = '';
  stderr.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-4096);
  });
  stdout.on('data', (piece: Buffer) => {
    if (failure) return;
    try {
      take(piece);
    } catch (error) {
      stop(error);
    }
  });
  // A program that ends early closes its end: what it says of that counts, not that the pipe broke.
  stdin.on('error', () => {});
  try {
    const fed = feed(stdin, input).catch(stop);
    const code = await ended;
    if (failure) throw failure.reason;
    stdin.destroy();
    await fed;
    if (code !== 0) throw new ProgramFailed(lastLines(words) ?? [`it ended with ${code}`]);
  } finally {
    signal.removeEventListener('abort', aborted);
  }
}

/** Of what keeps a program from starting, some is thrown, and some is an event. */
function started(program: string, args: readonly string[]): ChildProcess {
  try {
    return spawn(program, args, { stdio: 'pipe', windowsHide: true });
  } catch (error) {
    throw notStarted(program, error as NodeJS.ErrnoException);
  }
}

const FILES = ': too many files are open, so try again later, or allow more (ulimit -n)';
const BUSY = ': too much else runs, so try again later';
const NEXT: Record<string, string> = { EMFILE: FILES, ENFILE: FILES, EAGAIN: BUSY, ENOMEM: BUSY };

function notStarted(program: string, error: NodeJS.ErrnoException): Error {
  const { code = '', message } = error;
  if (code === 'ENOENT' || code === 'EACCES') return new ProgramMissing(message, { cause: error });
  return new Error(`${program} could not be started (${message})${NEXT[code] ?? ''}`, { cause: error });
}

async function feed(stdin: NodeJS.WritableStream & { destroyed: boolean }, input: NonNullable<Run['input']>) {
  for await (const piece of input) {
    if (stdin.destroyed) return;
    await new Promise<void>((resolve) => stdin.write(piece, () => resolve()));
  }
  stdin.end();
}

/** The very last often says only that something went wrong. */
function lastLines(words: string): string[] | undefined {
  const lines = words.split('\n').map((line) => line.trim());
  const said = lines.filter((line) => line !== '').slice(-3);
  return said.length > 0 ? said : undefined;
}
