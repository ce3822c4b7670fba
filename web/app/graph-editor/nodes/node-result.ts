/** What a node has made: a file that can be seen, heard or kept. */
export interface Result {
  kind: 'picture' | 'video' | 'sound' | 'file';
  /** Object URL. */
  url: string;
  name: string;
}
