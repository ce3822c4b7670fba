/** What a node has made: a file that can be seen, heard or kept. */
export interface NodeResult {
  kind: 'image' | 'video' | 'audio' | 'file';
  /** Object URL. */
  url: string;
  name: string;
}
