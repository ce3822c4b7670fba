/** The items that flow through a workflow. */

/** The JSON part of an item. */
export type JsonObject = Record<string, unknown>;

/** An item that nodes pass on: JSON, and files by name. */
export interface Item {
  json: JsonObject;
  binary?: Record<string, Binary>;
  pairedItem?: ItemPairing;
  /** Set on items of an error output. */
  error?: unknown;
}

/** The input items that an item came from. A number is the index of an item of input 0. */
export type ItemPairing = PairedItem | PairedItem[] | number;

/** The input item from which an output item was made. */
export interface PairedItem {
  /** Index of the item. */
  item: number;
  /** Default: 0. */
  input?: number;
  /** The source to look in instead of the input's: a loop passes on items of one of its earlier runs. */
  sourceOverwrite?: InputSource;
}

/** The node run that the items of an input came from. */
export interface InputSource {
  previousNode: string;
  /** Default: 0. */
  previousNodeOutput?: number;
  /** Default: 0. */
  previousNodeRun?: number;
}

/** A file. `data` is base64; if there is an `id`, the bytes are in the store under it instead. */
export interface Binary {
  mimeType: string;
  fileType?: 'text' | 'json' | 'html' | 'image' | 'audio' | 'video' | 'pdf';
  fileExtension?: string;
  fileName?: string;
  directory?: string;
  data: string;
  id?: string;
  /** Text for people: `12 B`, `1.2 kB`. */
  fileSize?: string;
  bytes?: number;
}

/**
 * The items of each output. `null`: nothing was sent to this output. An empty list is recorded as an output without
 * items. Neither starts a further node.
 */
export type NodeOutput = (Item[] | null)[];
