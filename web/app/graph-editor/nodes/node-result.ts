/** A file that a node has produced. */
export interface NodeResult {
  kind: 'image' | 'video' | 'audio' | 'file';
  /** Object URL; revoked when the result is replaced. */
  url: string;
  name: string;
}
