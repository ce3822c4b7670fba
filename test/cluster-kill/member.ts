/** A door or a worker that is started again whenever it ends, as a service manager does. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds until a process that was not killed is started again. */
const RESTART_PAUSE = 500;

export interface MemberCommand {
  name: string;
  program: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  /** A file for everything that it prints. */
  log: string;
}

export class Member {
  #child: ChildProcess | undefined;
  #isStopping = false;
  /** Until when it stays down after a kill. */
  #down: Promise<unknown> = Promise.resolve();
  readonly #log: WriteStream;
  readonly #ended: Promise<void>;
  /** When it ended without being killed: milliseconds since 1970, and the code. */
  readonly ownEnds: { at: number; code: number | null }[] = [];

  constructor(private readonly command: MemberCommand) {
    this.#log = createWriteStream(command.log, { flags: 'a' });
    this.#ended = this.#keepRunning();
  }

  get name(): string {
    return this.command.name;
  }

  get isUp(): boolean {
    return this.#child !== undefined;
  }

  /** @param down milliseconds until it is started again */
  kill(down: number): void {
    this.#down = sleep(down);
    this.#child?.kill('SIGKILL');
  }

  /** Stops the process for a while without ending it, as a machine that swaps or sleeps does. */
  async freeze(milliseconds: number): Promise<void> {
    const child = this.#child;
    child?.kill('SIGSTOP');
    await sleep(milliseconds);
    child?.kill('SIGCONT');
  }

  /** Asks it to end, and waits for that. @returns whether it did within 40 seconds */
  async stop(): Promise<boolean> {
    this.#isStopping = true;
    this.#child?.kill('SIGTERM');
    const inTime = await Promise.race([this.#ended.then(() => true), sleep(40_000, false)]);
    if (!inTime) this.#child?.kill('SIGKILL');
    await this.#ended;
    this.#log.end();
    return inTime;
  }

  async #keepRunning(): Promise<void> {
    const { program, args, env } = this.command;
    while (!this.#isStopping) {
      const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
      this.#child = child;
      child.stdout.on('data', (part: Buffer) => this.#log.write(part));
      child.stderr.on('data', (part: Buffer) => this.#log.write(part));
      const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
        child.once('exit', (...end) => resolve(end)),
      );
      this.#child = undefined;
      this.#log.write(`--- ended: ${code ?? signal}\n`);
      if (signal !== 'SIGKILL' && !this.#isStopping) {
        this.ownEnds.push({ at: Date.now(), code });
        await sleep(RESTART_PAUSE);
      }
      await this.#down;
    }
  }
}
