// Two halves of the cores, for two test runs side by side. The threads of a model wait for each other by spinning. So two
// models that share cores take several times as long, and one model gains little from a second core. A run that is bound
// to its half starts only as many threads.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The numbers of the cores in a list as Linux writes it: `0-2,5` is 0, 1, 2 and 5. */
export function coresOf(list) {
  return list.split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, at) => first + at);
  });
}

/** Two lists of cores for `taskset`. Undefined if there are too few, or no `taskset`. */
export function halvesOfCores() {
  if (spawnSync('taskset', ['--version'], { stdio: 'ignore' }).status !== 0) return undefined;
  const cores = coresOf(/^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
  if (cores.length < 2) return undefined;
  const half = Math.floor(cores.length / 2);
  return [cores.slice(0, half).join(','), cores.slice(half).join(',')];
}
