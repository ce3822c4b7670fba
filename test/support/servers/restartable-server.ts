/** Servers that tests stop, kill, freeze and start again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CertificatePair } from '#shim/https/certificates.ts';
import { accepts } from './server-process.ts';

/** Milliseconds that a server may take to accept connections. */
const START_TIMEOUT = 60_000;

/** A temporary folder that belongs to the user. */
export function serverFolder(name: string, owner?: { uid: number; gid: number }): string {
  const folder = mkdtempSync(join(tmpdir(), `tabd-${name}-`));
  if (owner) chownSync(folder, owner.uid, owner.gid);
  return folder;
}

/** Writes a certificate and its key into a folder. Returns the paths. */
export function writeCertificate(tls: CertificatePair, folder: string): CertificatePair {
  const paths = { certificate: join(folder, 'server.crt'), key: join(folder, 'server.key') };
  writeFileSync(paths.certificate, tls.certificate, { mode: 0o644 });
  writeFileSync(paths.key, tls.key, { mode: 0o600 });
  return paths;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** A program that listens on a port, and that tests may stop, kill and start again. */
export class ServerProcess {
  #child: ChildProcess | undefined;
  #output = '';

  constructor(
    readonly port: number,
    private readonly program: string,
    private readonly args: string[],
    private readonly options: { uid?: number; gid?: number; env?: NodeJS.ProcessEnv; cwd?: string } = {},
  ) {}

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Resolves when the port accepts connections. */
  async start(): Promise<void> {
    const child = spawn(this.program, this.args, { ...this.options, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data: Buffer) => {
        this.#output = (this.#output + data).slice(-4000);
      });
    }
    const deadline = performance.now() + START_TIMEOUT;
    while (!(await accepts(this.port))) {
      if (child.exitCode !== null || child.signalCode !== null || performance.now() > deadline)
        throw new Error(`${this.program} did not start:\n${this.#output}`);
      await sleep(50);
    }
  }

  /** Ends the process and waits for its end. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  /** Freezes the process without closing its connections, as a failed network does. */
  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }
}
