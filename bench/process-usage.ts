/** Reads resource usage of a process on Linux. */
import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds of a clock tick: the kernel counts processor time in hundredths of a second. */
const TICK_MILLISECONDS = 10;

/** Milliseconds of processor time of all threads so far. */
export function cpuTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MILLISECONDS;
}

/** Bytes of private memory, without mapped files. */
export function privateMemory(pid: number): number {
  const line = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  if (!line) throw new Error(`process ${pid} has no memory of its own`);
  return Number(line[1]) * 1024;
}

/** The ids of the child processes. */
export function childIds(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
  );
}
