/** The Model Context Protocol for addresses that offer tools: messages, sessions and both transports over HTTP. */
export { answerMcp, type McpAddress } from './http.ts';
export type { McpContent, McpResult, McpTool, McpToolCall, McpTools } from './protocol.ts';
export { McpSessions } from './sessions.ts';
export { type CallableTool, textResult, toolName, toolServer } from './tool-server.ts';
