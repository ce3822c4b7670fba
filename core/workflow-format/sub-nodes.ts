/** Nodes that serve another node instead of passing items on: models, memories, tools and others. */

/** Kinds of connections of sub-nodes, by n8n's names. */
export const SUB_NODE_KINDS = [
  'ai_languageModel',
  'ai_memory',
  'ai_tool',
  'ai_outputParser',
  'ai_embedding',
  'ai_vectorStore',
  'ai_document',
  'ai_textSplitter',
  'ai_retriever',
  'ai_reranker',
] as const;

/** The kind of a connection between a sub-node and the node that uses it. */
export type SubNodeKind = (typeof SUB_NODE_KINDS)[number];

/** An input of a node for sub-nodes. */
export interface SubNodeInput {
  kind: SubNodeKind;
  label: string;
  /** The node cannot run without such a sub-node. */
  required?: boolean;
  /** The largest number of sub-nodes. Undefined: any number. */
  max?: number;
}
