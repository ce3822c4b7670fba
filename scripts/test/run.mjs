// Runs a part of the tests in a process of its own. After a time-out it ends with all its child processes.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
/** Arguments that make Node run TypeScript. */
export const tsx = ['--import', 'tsx'];

/**
 * Returns the exit code, or 1 after a signal or a time-out.
 * @param timeout milliseconds
 */
export function run(name, command, args, { timeout, env = {} }) {
  console.log(`\n=== ${name}`);
  return new Promise((resolve) => {
    const started = Date.now();
    // A process group of its own, so that browsers and servers of a crashed runner end too.
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...env },
      detached: true,
    });
    const end = (signal) => {
      try {
        process.kill(-child.pid, signal);
      } catch {
        // The process group has ended already.
      }
    };
    const timer = setTimeout(() => {
      console.error(`${name}: not done after ${timeout / 60_000} minutes, ended`);
      end('SIGTERM');
      setTimeout(() => end('SIGKILL'), 5000).unref();
    }, timeout);
    const onExit = () => end('SIGKILL');
    process.once('exit', onExit);
    const onInterrupt = () => process.exit(130);
    process.once('SIGINT', onInterrupt).once('SIGTERM', onInterrupt);
    const done = (code) => {
      clearTimeout(timer);
      end('SIGKILL');
      process.off('exit', onExit).off('SIGINT', onInterrupt).off('SIGTERM', onInterrupt);
      console.log(`--- ${name}: exit code ${code} after ${Math.round((Date.now() - started) / 1000)} s`);
      resolve(code);
    };
    child.on('error', (error) => {
      console.error(`${name}: ${error.message}`);
      done(1);
    });
    child.on('exit', (code) => done(code ?? 1));
  });
}
