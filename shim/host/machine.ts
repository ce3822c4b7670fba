import os from 'node:os';
import type { Machine } from '#core/host';

/** This computer. `gpus` is asked for only when somebody wants to know: finding out costs a process start. */
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
