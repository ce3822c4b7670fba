import { spawn } from 'node:child_process';
import type { ShellCommands } from '#core/host';

/** The shell of this computer: `sh`, or the command interpreter of Windows. */
export const shellCommands: ShellCommands = {
  run(command, { signal, maxBytes }) {
    signal.throwIfAborted();
    const isWindows = process.platform === 'win32';
    // A group of its own, which ends as a whole.
    const child = spawn(command, { shell: true, detached: !isWindows, stdio: ['ignore', 'pipe', 'pipe'] });
    const kill = () => {
      try {
        if (isWindows || child.pid === undefined) child.kill('SIGKILL');
        else process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    };
    const written = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    let size = 0;
    return new Promise((resolve, reject) => {
      const fail = (error: unknown) => {
        reject(error);
        kill();
      };
      const abort = () => fail(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      for (const name of ['stdout', 'stderr'] as const) {
        child[name].on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > maxBytes) fail(new Error(`The command has written more than ${maxBytes / 2 ** 20} MiB`));
          else written[name].push(chunk);
        });
      }
      child.on('error', fail);
      child.on('close', (code) => {
        signal.removeEventListener('abort', abort);
        const text = (name: 'stdout' | 'stderr') => Buffer.concat(written[name]).toString().trim();
        resolve({ exitCode: code ?? 1, stdout: text('stdout'), stderr: text('stderr') });
      });
    });
  },
};
