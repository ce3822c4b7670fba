import type { TensorEngine, TensorSession } from '#core/host';
import { watchedSession } from './watched-session.ts';

/** The device and the times of one graph. */
interface SessionTimes {
  device: TensorSession['device'];
  /** Seconds. */
  opened: number;
  runs: number[];
}

/** Counts what the sessions of an engine cost. */
export class SessionReport {
  readonly #sessions: SessionTimes[] = [];

  /** The engine with its sessions counted. @param cpuOnly leaves the GPU out */
  watch(engine: TensorEngine, cpuOnly: boolean): TensorEngine {
    return {
      name: engine.name,
      open: async (files, options, ...rest) => {
        const start = performance.now();
        const providers = cpuOnly ? (['wasm'] as const) : options.providers;
        const session = await engine.open(files, { ...options, providers: [...providers] }, ...rest);
        const times: SessionTimes = { device: session.device, opened: secondsSince(start), runs: [] };
        this.#sessions.push(times);
        return watchedSession(session, async (...args) => {
          const begin = performance.now();
          const results = await session.run(...args);
          times.runs.push(secondsSince(begin));
          return results;
        });
      },
    };
  }

  /** One line for each graph: its device, and the seconds to open it, of its first run and of the median later one. */
  lines(): string[] {
    return this.#sessions.map(({ device, opened, runs: [first, ...later] }) => {
      const note = device.note === undefined ? '' : ` (${device.note})`;
      const runs =
        first === undefined
          ? 'not run'
          : `first run ${first.toFixed(3)} s, ${later.length} later${later.length > 0 ? ` of ${median(later).toFixed(3)} s` : ''}`;
      return `     ${device.name}${note}: opened in ${opened.toFixed(2)} s, ${runs}`;
    });
  }
}

const secondsSince = (start: number): number => (performance.now() - start) / 1000;

const median = (numbers: number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
