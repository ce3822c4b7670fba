import { readdirSync, readFileSync } from 'node:fs';

/** The ids of the processes that a process has started, on Linux. */
export function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((id) => parentOf(id) === parent);
}

/** Undefined when the process has ended. */
function parentOf(id: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'utf8');
    // The name of the program stands in parentheses, and may hold spaces.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
