/** A row of `/api/ps`, as far as doors read it. */
export interface RunningModel {
  name: string;
  digest: string;
  /** Bytes of memory, and of GPU memory. */
  size: number;
  size_vram: number;
  /** The time of RFC 3339 at which the model is unloaded. */
  expires_at: string;
}

/**
 * The models of all workers, in one list with a row for each model, as clients of one Ollama expect. Copies of a model on
 * several workers take their memory together, and the model is there until the last copy is unloaded.
 */
export function mergeRunningModels<T extends RunningModel>(lists: readonly T[][]): T[] {
  const rows = new Map<string, T>();
  for (const model of lists.flat()) {
    const key = `${model.name} ${model.digest}`;
    const row = rows.get(key);
    rows.set(key, row ? together(row, model) : model);
  }
  return [...rows.values()];
}

function together<T extends RunningModel>(a: T, b: T): T {
  const last = Date.parse(a.expires_at) >= Date.parse(b.expires_at) ? a : b;
  return { ...last, size: a.size + b.size, size_vram: a.size_vram + b.size_vram };
}
