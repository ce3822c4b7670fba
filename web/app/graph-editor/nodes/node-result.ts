/** A file that a node has produced. */
export interface NodeResultFile {
  kind: 'image' | 'video' | 'audio' | 'file';
  /** An object URL, which is revoked when the result is replaced. */
  url: string;
  name: string;
}
