/** The items that flow through a workflow. */

export type JsonObject = Record<string, unknown>;

export interface Item {
  json: JsonObject;
  binary?: Record<string, Binary>;
  pairedItem?: Pairing;
  /** Set on items that come out of an error output. */
  error?: unknown;
}

/** Which item of which input an item was made of. A bare number is the item of input 0. */
export type Pairing = PairedItem | PairedItem[] | number;
export interface PairedItem {
  item: number;
  input?: number;
  /** Where to look for it instead of what fed the input: a loop hands on items that it was given in an earlier run. */
  sourceOverwrite?: InputSource;
}

/** Where the items of an input came from. */
export interface InputSource {
  previousNode: string;
  /** 0 unless told. */
  previousNodeOutput?: number;
  /** 0 unless told. */
  previousNodeRun?: number;
}

/** A file. `data` holds base64, or, when `id` is there, the bytes are in the store under that id. */
export interface Binary {
  mimeType: string;
  fileType?: 'text' | 'json' | 'html' | 'image' | 'audio' | 'video' | 'pdf';
  fileExtension?: string;
  fileName?: string;
  directory?: string;
  data: string;
  id?: string;
  /** For people: `12 B`, `1.2 kB`. */
  fileSize?: string;
  bytes?: number;
}

/**
 * What a node gives: for each output its items. `null` = nothing was sent to this output at all; an empty array = the
 * output was reached with no items (shown in the record, but starts no further node either).
 */
export type NodeOutput = (Item[] | null)[];
