import os from 'node:os';
import type { Machine } from '#core/host';

/** Describes this computer. `gpus` is called on demand, because it starts a process. */
export function describeMachine(gpus: Machine['gpus']): Machine {
  return {
    os: `${os.type()} ${os.release()}`,
    hostname: os.hostname(),
    addresses: () =>
      Object.values(os.networkInterfaces()).flatMap((found) => (found ?? []).map(({ address }) => address)),
    architecture: os.arch(),
    memoryTotal: os.totalmem(),
    memoryFree: () => os.freemem(),
    cores: os.availableParallelism(),
    runtime: `Node.js ${process.versions.node}`,
    argv: process.argv,
    gpus,
  };
}
