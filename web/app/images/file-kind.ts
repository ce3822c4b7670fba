/** How a node shows a file that it produced. */
export type FileKind = 'image' | 'video' | 'audio' | 'file';

const KINDS: readonly [RegExp, FileKind][] = [
  [/\.(png|jpe?g|webp|gif|apng|avif|bmp|svg)$/i, 'image'],
  [/\.(mp4|webm|m4v|mov|mkv)$/i, 'video'],
  [/\.(flac|wav|mp3|opus|ogg|m4a|aac)$/i, 'audio'],
];

/** The kind of a file, by the extension of its name. */
export const kindOfFile = (name: string): FileKind =>
  KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? 'file';
