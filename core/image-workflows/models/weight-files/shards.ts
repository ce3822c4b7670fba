/** Sets of files that hold one model: `model-00001-of-00003.safetensors` and so on. */

const SHARD = /^(.*-)(\d{5})-of-(\d{5})(\.\w+)$/;

/** The paths of all files of the set to which a file belongs. Only the file itself when its name is not that of a shard. */
export function shardPaths(path: string): string[] {
  const [, start = '', , count = '', ending = ''] = SHARD.exec(path) ?? [];
  if (Number(count) === 0) return [path];
  return Array.from(
    { length: Number(count) },
    (_, index) => `${start}${String(index + 1).padStart(5, '0')}-of-${count}${ending}`,
  );
}

/** Whether a file is a later part of a set: lists show the first part only, which stands for the set. */
export const isLaterShard = (path: string): boolean => {
  const number = SHARD.exec(path)?.[2];
  return number !== undefined && Number(number) !== 1;
};
