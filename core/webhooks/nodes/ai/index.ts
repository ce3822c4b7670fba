/** The AI nodes: models, and what works with their answers. */
import type { NodeType } from '../../node-api/node-type.ts';
import { agent, agentTool } from './agent/agent.ts';
import { chainLlm } from './chains/chain-llm.ts';
import { informationExtractor } from './chains/information-extractor.ts';
import { retrievalQa } from './chains/retrieval-qa.ts';
import { sentimentAnalysis } from './chains/sentiment-analysis.ts';
import { summarization } from './chains/summarization.ts';
import { textClassifier } from './chains/text-classifier.ts';
import { anthropicChat } from './chat-models/anthropic.ts';
import { compatibleModels } from './chat-models/compatible.ts';
import { geminiChat } from './chat-models/gemini.ts';
import { modelSelector } from './chat-models/model-selector.ts';
import { ollamaChat, ollamaCompletion } from './chat-models/ollama.ts';
import { openAiChat } from './chat-models/openai.ts';
import { googleGemini } from './gemini/gemini.ts';
import { guardrails } from './guardrails/guardrails.ts';
import { bufferWindowMemory } from './memory/buffer-window.ts';
import { postgresChatMemory, redisChatMemory } from './memory/database-memory.ts';
import { memoryManager } from './memory/manager.ts';
import { oldOpenAi } from './openai/old-openai.ts';
import { openAi } from './openai/openai.ts';
import { autoFixingParser } from './parsers/auto-fixing.ts';
import { itemListParser } from './parsers/item-list.ts';
import { structuredParser } from './parsers/structured.ts';
import { calculator } from './tools/calculator.ts';
import { codeTool } from './tools/code-tool.ts';
import { httpTool } from './tools/http-tool.ts';
import { mcpClient } from './tools/mcp-client/mcp-client-node.ts';
import { mcpClientTool } from './tools/mcp-client.ts';
import { serpApi } from './tools/serp-api.ts';
import { think } from './tools/think.ts';
import { vectorStoreTool } from './tools/vector-store-tool.ts';
import { wikipedia } from './tools/wikipedia.ts';
import { wolframAlpha } from './tools/wolfram-alpha.ts';
import { workflowTool } from './tools/workflow-tool.ts';
import { chatTrigger, manualChatTrigger } from './triggers/chat-trigger.ts';
import { mcpTrigger } from './triggers/mcp-trigger.ts';
import { cohereReranker } from './vectors/cohere-reranker.ts';
import { binaryLoader, defaultLoader, jsonLoader } from './vectors/document-loaders.ts';
import { ollamaEmbeddings, openAiEmbeddings } from './vectors/embeddings.ts';
import { memoryVectorStore } from './vectors/memory-vector-store.ts';
import { pgVectorStore } from './vectors/pgvector-store.ts';
import { pineconeVectorStore } from './vectors/pinecone-store.ts';
import { qdrantVectorStore } from './vectors/qdrant-vector-store.ts';
import { compressionRetriever, multiQueryRetriever, storeRetriever } from './vectors/retrievers.ts';
import { cohereEmbeddings, geminiEmbeddings, mistralEmbeddings } from './vectors/service-embeddings.ts';
import { supabaseVectorStore } from './vectors/supabase-store.ts';
import { characterSplitter, recursiveSplitter, tokenSplitter } from './vectors/text-splitters.ts';
import { workflowRetriever } from './vectors/workflow-retriever.ts';

export { nodeAsTool } from './tools/node-as-tool.ts';

export const aiNodeTypes: NodeType[] = [
  agent,
  agentTool,
  openAi,
  oldOpenAi,
  googleGemini,
  chainLlm,
  informationExtractor,
  textClassifier,
  sentimentAnalysis,
  summarization,
  retrievalQa,
  guardrails,
  openAiChat,
  ollamaChat,
  ollamaCompletion,
  anthropicChat,
  geminiChat,
  ...compatibleModels,
  modelSelector,
  structuredParser,
  autoFixingParser,
  itemListParser,
  bufferWindowMemory,
  memoryManager,
  postgresChatMemory,
  redisChatMemory,
  calculator,
  codeTool,
  think,
  workflowTool,
  httpTool,
  wikipedia,
  serpApi,
  wolframAlpha,
  mcpClient,
  mcpClientTool,
  vectorStoreTool,
  memoryVectorStore,
  qdrantVectorStore,
  pgVectorStore,
  pineconeVectorStore,
  supabaseVectorStore,
  cohereReranker,
  storeRetriever,
  multiQueryRetriever,
  compressionRetriever,
  workflowRetriever,
  openAiEmbeddings,
  ollamaEmbeddings,
  geminiEmbeddings,
  mistralEmbeddings,
  cohereEmbeddings,
  defaultLoader,
  binaryLoader,
  jsonLoader,
  recursiveSplitter,
  characterSplitter,
  tokenSplitter,
  chatTrigger,
  manualChatTrigger,
  mcpTrigger,
];
