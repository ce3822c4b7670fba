/** The interface between the node of a vector store and the place where its documents are. */
import type { CredentialUse, JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import type { Embeddings, ScoredDocument, TextDocument } from '../../../node-api/sub-nodes.ts';

/** A document with its vector. */
export interface EmbeddedDocument extends TextDocument {
  vector: number[];
}

/** Documents that are found by the direction of their vectors. */
export interface DocumentStore {
  /**
   * Adds documents as their vectors arrive.
   * @throws NodeError of the store, or the error of `batches`. A store elsewhere keeps the earlier batches.
   */
  add(batches: AsyncIterable<EmbeddedDocument[]>): Promise<void>;
  /** At most `count` documents, the most similar first. @param filter in the language of the store */
  search(vector: number[], count: number, filter?: JsonObject): Promise<ScoredDocument[]>;
}

/** The store that the parameters of a node name for an item. */
export type OpenStore = (itemIndex: number, embeddings: Embeddings) => Promise<DocumentStore>;

/** One kind of vector store. */
export interface StoreKind {
  /** The node's name without its package: `vectorStoreQdrant` */
  name: string;
  description: string;
  credentials?: CredentialUse[];
  needsClients?: boolean;
  /** In version 1 each item names a store of its own. Otherwise the first item names the store of all. */
  isPerItem: boolean;
  /** Works with stores. Their connection is closed at the end. @throws NodeError */
  withStores<T>(context: NodeContext, work: (open: OpenStore) => Promise<T>): Promise<T>;
}
