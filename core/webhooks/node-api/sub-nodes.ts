/** The values that sub-nodes supply to the nodes that use them. */
import type { Item, JsonObject } from '#core/workflow-format';
import type { ChatMessage, ChatModel, JsonSchema } from './chat.ts';

/** A tool of an agent. */
export interface AgentTool {
  /** Name of the sub-node. */
  node: string;
  /** The name that the model sees. */
  name: string;
  description: string;
  schema: JsonSchema;
  /** Works in the node of the agent, and is recorded as a run of the sub-node. Texts are answers as they are. */
  call(args: JsonObject): Promise<unknown>;
}

/** The memory of one conversation. */
export interface ChatMemory {
  node: string;
  /** The last messages, oldest first. */
  load(): Promise<ChatMessage[]>;
  save(input: string, output: string): Promise<void>;
  /** All messages, without a record of the run. */
  all(): Promise<ChatMessage[]>;
  replace(messages: ChatMessage[]): Promise<void>;
}

/** Reads values from answers of a model. */
export interface OutputParser {
  node: string;
  /** The text for the prompt. */
  instructions: string;
  /** The schema of a structured answer. Undefined: the parser reads text. */
  schema?: JsonSchema;
  /** The result is a list, and each element becomes an item. */
  isList?: boolean;
  /** @throws ParseError */
  parse(text: string): Promise<unknown>;
}

export interface Embeddings {
  node: string;
  documents(texts: string[]): Promise<number[][]>;
  query(text: string): Promise<number[]>;
}

/** A piece of text with facts about its source. */
export interface TextDocument {
  pageContent: string;
  metadata: JsonObject;
  /** The name of the document in a store that has names. */
  id?: string | number;
}

/** A document that a search found. */
export interface ScoredDocument {
  document: TextDocument;
  /** The similarity, the distance or the relevance, as the store or the reranker measures it. */
  score: number;
}

export interface VectorStore {
  node: string;
  /** The most similar documents first. */
  search(query: string, count: number, filter?: JsonObject): Promise<ScoredDocument[]>;
}

/** Ranks documents by their relevance for a question. */
export interface Reranker {
  node: string;
  /** The most relevant documents first, with their relevance from 0 to 1. Others are left out. */
  rank(documents: TextDocument[], query: string): Promise<ScoredDocument[]>;
}

/** Makes documents of an item. */
export interface DocumentLoader {
  node: string;
  load(item: Item, index: number): Promise<TextDocument[]>;
}

export interface TextSplitter {
  node: string;
  split(text: string): Promise<string[]>;
}

export interface Retriever {
  node: string;
  find(query: string): Promise<TextDocument[]>;
}

/** The supplied value by the kind of the connection. */
export interface SubNodeValues {
  ai_languageModel: ChatModel;
  ai_memory: ChatMemory;
  ai_tool: AgentTool;
  ai_outputParser: OutputParser;
  ai_embedding: Embeddings;
  ai_vectorStore: VectorStore;
  ai_document: DocumentLoader;
  ai_textSplitter: TextSplitter;
  ai_retriever: Retriever;
  ai_reranker: Reranker;
}

/** A tool that an agent asks the engine to run. */
export interface ToolRun {
  /** Name of the tool's node. */
  node: string;
  args: JsonObject;
  /** The item that the agent works on. */
  itemIndex: number;
}
