/** What a file that a node has made is shown as. */
export type FileKind = 'image' | 'video' | 'audio' | 'file';

const KINDS: readonly [RegExp, FileKind][] = [
  [/\.(png|jpe?g|webp|gif|apng|avif|bmp|svg)$/i, 'image'],
  [/\.(mp4|webm|m4v|mov|mkv)$/i, 'video'],
  [/\.(flac|wav|mp3|opus|ogg|m4a|aac)$/i, 'audio'],
];

/** By the end of its name. */
export const kindOfFile = (name: string): FileKind =>
  KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? 'file';
