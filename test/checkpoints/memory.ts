/** `npx tsx test/checkpoints/memory.ts NAME [...] [--numbers DIR] [--keep | --convert]`: see the README here. */
import { readFileSync } from 'node:fs';
import { link, mkdir } from 'node:fs/promises';
import { freemem } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Host, TensorEngine } from '#core/host';
import { onnxHost } from '#test/support/host/onnx-host.ts';
import { childrenOf } from './child-processes.ts';
import { readRecording } from './read-recording.ts';
import { Recipe } from './recipe.ts';
import { recordedFiles, replayModel } from './replay-model.ts';
import { watchedSession } from './watched-session.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    numbers: { type: 'string', default: '../shared/checkpoints' },
    keep: { type: 'boolean', default: false },
    convert: { type: 'boolean', default: false },
  },
});
const folder = resolve(values.numbers);
const recipe = new Recipe(folder, resolve('.cache/checkpoints'));

/** Prints, for each graph that a host opens, the seconds to open it and the memory of its process. */
function measuring(engine: TensorEngine): TensorEngine {
  return {
    name: engine.name,
    async open(files, ...rest) {
      const before = new Set(childrenOf(process.pid));
      const start = performance.now();
      const session = await engine.open(files, ...rest);
      const seconds = (performance.now() - start) / 1000;
      const pid = childrenOf(process.pid).find((each) => !before.has(each));
      const used = files.reduce((sum, file) => sum + (('used' in file && file.used) || file.size), 0);
      if (pid === undefined) return session;
      const report = (when: string, since = 0) => {
        const { peak, own } = memoryOf(pid);
        const share = (bytes: number) => `${gigabytes(bytes)} GB = ${(bytes / used).toFixed(2)}`;
        console.log(
          `     ${when}: weights ${gigabytes(used)} GB, largest ${share(peak)}, own memory ${share(own)}, ${(cpuSecondsOf(pid) - since).toFixed(1)} s of the processor`,
        );
      };
      report(`opened in ${seconds.toFixed(1)} s`);
      return watchedSession(session, async (...args) => {
        const [begin, computed] = [performance.now(), cpuSecondsOf(pid)];
        const results = await session.run(...args);
        report(`ran in ${((performance.now() - begin) / 1000).toFixed(1)} s`, computed);
        return results;
      });
    },
  };
}

const gigabytes = (bytes: number) => (bytes / 1e9).toFixed(2);

/** Bytes: the largest memory so far with mapped files, and the present memory without them. */
function memoryOf(pid: number): { peak: number; own: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string) => 1024 * Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]);
  return { peak: field('VmHWM'), own: field('RssAnon') };
}

/** Seconds that all threads of a process have computed. Other work on the machine hardly changes them. */
function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  // `utime` and `stime`, in ticks of 10 ms.
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Bytes. Little of it keeps weights as they are stored. */
function freeMemory(): number {
  if (values.keep) return 0;
  return values.convert ? Number.POSITIVE_INFINITY : freemem();
}

for (const name of positionals) {
  const numbers = readRecording(join(folder, 'numbers'), name);
  const { host, home, remove } = await onnxHost();
  try {
    for (const { path, recording } of recordedFiles(name, numbers)) {
      await mkdir(dirname(join(home, path)), { recursive: true });
      await link(recipe.checkpoint(recording), join(home, path));
    }
    const measured: Host = {
      ...host,
      machine: { ...host.machine, memoryFree: freeMemory },
      tensorEngine: measuring(host.tensorEngine!),
    };
    console.log(name);
    const { text: _, ...recording } = numbers.recording;
    const withoutImages = Object.fromEntries(
      Object.entries(recording.inputs ?? {}).filter(([key]) => !key.startsWith('vae.')),
    );
    Object.assign(numbers.recording, { text: {}, inputs: withoutImages });
    await replayModel(name, measured, numbers, recipe);
  } finally {
    await remove();
  }
}
process.exit(0);
