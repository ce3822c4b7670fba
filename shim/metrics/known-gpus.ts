import type { Gpu, Machine } from '#core/host';

/** Milliseconds that metrics wait for the GPUs. A query that takes longer serves the next reading. */
const TIMEOUT = 2000;

/** The GPUs of this computer. Empty when they are not found in time. */
export async function knownGpus(machine: Pick<Machine, 'gpus'>): Promise<readonly Gpu[]> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<readonly Gpu[]>((resolve) => {
    timer = setTimeout(() => resolve([]), TIMEOUT);
  });
  try {
    return await Promise.race([machine.gpus(), timeout]);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}
