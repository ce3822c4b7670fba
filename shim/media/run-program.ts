import { type ChildProcess, spawn } from 'node:child_process';

/** The program does not exist or may not be executed. */
export class ProgramMissing extends Error {
  override name = 'ProgramMissing';
}

/** The program ended with an error. `lines`: its last lines of output, at least one. */
export class ProgramFailed extends Error {
  override name = 'ProgramFailed';
  constructor(readonly lines: readonly string[]) {
    super(lines.join('; '));
  }
}

export interface ProgramIo {
  /** The program's standard input, in pieces. It may end before it has read all. */
  input?: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /**
   * Receives the program's standard output, in pieces. An exception ends the program, and `runProgram`
   * rejects with it.
   */
  take?(piece: Uint8Array): void;
}

/**
 * Runs a program until it has ended. Rejects with `ProgramMissing`, `ProgramFailed`, another error of its
 * start, an exception of `input` or `take`, or the signal's reason. The program has ended in every case.
 */
export async function runProgram(
  [program, ...args]: readonly [string, ...string[]],
  { input = [], take = () => {} }: ProgramIo,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const child = spawnProgram(program, args);
  let failure: { reason: unknown } | undefined;
  const ended = new Promise<number | null>((resolve, reject) => {
    // This event also reports that the program could not be killed. The reason to kill it is more useful.
    child.on('error', (error) => reject(failure ? failure.reason : startFailure(program, error)));
    child.once('close', resolve);
  });
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) {
    // The program has not started, because the system has no pipes left. The `error` event follows.
    await ended;
    return;
  }
  const stop = (reason: unknown) => {
    failure ??= { reason };
    child.kill('SIGKILL');
  };
  const aborted = () => stop(signal.reason);
  signal.addEventListener('abort', aborted, { once: true });
  let output = '';
  stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-4096);
  });
  stdout.on('data', (piece: Buffer) => {
    if (failure) return;
    try {
      take(piece);
    } catch (error) {
      stop(error);
    }
  });
  // A program that ends early breaks the pipe. Its own error message is more useful.
  stdin.on('error', () => {});
  try {
    const feeding = feed(stdin, input).catch(stop);
    const code = await ended;
    if (failure) throw failure.reason;
    stdin.destroy();
    await feeding;
    if (code !== 0) throw new ProgramFailed(lastLines(output) ?? [`it ended with ${code}`]);
  } finally {
    signal.removeEventListener('abort', aborted);
  }
}

/** Starts a program. Some errors are thrown here; others are events. */
function spawnProgram(program: string, args: readonly string[]): ChildProcess {
  try {
    return spawn(program, args, { stdio: 'pipe', windowsHide: true });
  } catch (error) {
    throw startFailure(program, error as NodeJS.ErrnoException);
  }
}

const FILES = ': too many files are open, so try again later, or allow more (ulimit -n)';
const BUSY = ': too much else runs, so try again later';
const START_ADVICE: Record<string, string> = { EMFILE: FILES, ENFILE: FILES, EAGAIN: BUSY, ENOMEM: BUSY };

function startFailure(program: string, error: NodeJS.ErrnoException): Error {
  const { code = '', message } = error;
  if (code === 'ENOENT' || code === 'EACCES') return new ProgramMissing(message, { cause: error });
  return new Error(`${program} could not be started (${message})${START_ADVICE[code] ?? ''}`, {
    cause: error,
  });
}

async function feed(
  stdin: NodeJS.WritableStream & { destroyed: boolean },
  input: NonNullable<ProgramIo['input']>,
) {
  for await (const piece of input) {
    if (stdin.destroyed) return;
    await new Promise<void>((resolve) => stdin.write(piece, () => resolve()));
  }
  stdin.end();
}

/** The last three lines: the very last one often gives no reason. */
function lastLines(output: string): string[] | undefined {
  const lines = output.split('\n').map((line) => line.trim());
  const nonEmpty = lines.filter((line) => line !== '').slice(-3);
  return nonEmpty.length > 0 ? nonEmpty : undefined;
}
