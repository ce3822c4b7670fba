// Runs a part of the tests as a process of its own, ended with everything it started when it takes too long.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
/** Arguments that make Node run TypeScript. */
export const tsx = ['--import', 'tsx'];

/** The exit code; 1 when it was ended by a signal or a time-out. */
export function run(name, command, args, { timeout, env = {} }) {
  console.log(`\n=== ${name}`);
  return new Promise((resolve) => {
    const started = Date.now();
    // A group of its own: browsers and servers that a crashed runner left behind end with it.
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
        // Nobody is left.
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
