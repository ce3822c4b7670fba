/** Adapters that were trained here: applied from memory, and written to files. */
import type { FilePath, Files } from '#core/host';
import type { SafetensorsEntry } from '#core/tensors';
import type { Adapter } from '../../values/adapter.ts';
import type { LoraWeights } from '../../values/lora-weights.ts';
import { type PlannedTensor, writeSafetensorsFile } from '../saving/write-safetensors.ts';
import { adapterOf } from './read-adapter.ts';

/** Throws when the tensors are of no supported kind of adapter, or incomplete. */
export function adapterFromMemory({ name, tensors }: LoraWeights): Adapter {
  const entries = [...tensors].map(
    ([name, { shape }]): SafetensorsEntry => ({ name, type: 'F32', shape: [...shape], start: 0, end: 0 }),
  );
  return adapterOf(name, entries, async (entry) => tensors.get(entry.name)!.data);
}

/**
 * Writes an adapter as a safetensors file. It appears complete or not at all. Rejects with `StorageFull` or the signal's
 * reason.
 */
export async function writeLora(
  files: Files,
  path: FilePath,
  { tensors, type }: LoraWeights,
  signal: AbortSignal,
): Promise<void> {
  const planned = [...tensors].map(([name, { shape }]): PlannedTensor => ({ name, shape, type }));
  const numbers = async ({ name }: PlannedTensor) => {
    signal.throwIfAborted();
    return tensors.get(name)!.data;
  };
  await writeSafetensorsFile(files, path, planned, numbers, {});
}
