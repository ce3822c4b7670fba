/** The names that `gguf-split` of llama.cpp gives to the parts of a model, such as `model-00002-of-00003.gguf`. */

const PART = /^(.*)-\d{5}-of-(\d{5})(\.gguf)$/i;

/** The name of the file that was split: `model.gguf`. Other names are returned unchanged. */
export function withoutPartNumber(path: string): string {
  return path.replace(PART, '$1$3');
}

/** Whether a name is one of a part. */
export function isPartName(path: string): boolean {
  return PART.test(path);
}

/** The names of all parts of the model that a file belongs to, in their order. Of another file: its name alone. */
export function partNames(path: string): string[] {
  const [, start, count, ending] = PART.exec(path) ?? [];
  if (start === undefined) return [path];
  return Array.from(
    { length: Number(count) },
    (_, index) => `${start}-${String(index + 1).padStart(5, '0')}-of-${count}${ending}`,
  );
}
