/** Finds the processes that another process has started. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Ids of direct children whose command line contains `words`. */
export function childProcesses(parent: number, words: string): number[] {
  return processes()
    .filter((each) => each.parent === parent && each.command.includes(words))
    .map(({ pid }) => pid);
}

/** Ids of all processes whose command line contains `words`. */
export const processesWith = (words: string): number[] =>
  processes()
    .filter(({ command }) => command.includes(words))
    .map(({ pid }) => pid);

/** Ids of processes, and of all that they and their children have started. */
export function processTree(...roots: number[]): number[] {
  const all = processes();
  const below = (pid: number): number[] => [
    pid,
    ...all.filter(({ parent }) => parent === pid).flatMap((child) => below(child.pid)),
  ];
  return [...new Set(roots.flatMap(below))];
}

function processes(): { pid: number; parent: number; command: string }[] {
  if (process.platform === 'linux') {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => {
        try {
          // The program's name is in parentheses and may contain any character.
          const state = readFileSync(`/proc/${name}/stat`, 'utf8').replace(/^.*\) /s, '');
          const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
          return [{ pid: Number(name), parent: Number(state.split(' ')[1]), command }];
        } catch {
          return [];
        }
      });
  }
  return execFileSync('ps', ['-axo', 'pid=,ppid=,command='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => {
      const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
      return { pid: Number(pid), parent: Number(parent), command: command ?? '' };
    });
}
